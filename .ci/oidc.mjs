// An identity provider whose people have the address LOGIN@example.org. Its ID tokens have no address: userinfo has it.
// Usage: node oidc.mjs PORT REDIRECT_URI
import Provider from "oidc-provider";

const [port, redirect] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "rota", client_secret: "s:e+c/r%t of rota", redirect_uris: [redirect] }],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  cookies: { keys: ["a key of this test alone"] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true, name: id }),
  }),
});
provider.listen(Number(port), "127.0.0.1");
