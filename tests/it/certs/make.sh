#!/usr/bin/env bash
# Makes the certificates that the tests serve and believe; needs openssl. They last until 2126, so this was run once.
# The keys protect nothing. The authority's own key is thrown away.
set -euo pipefail
cd "$(dirname "$0")"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/ca.cnf" <<END
[ca]
default_ca = tests
[tests]
dir = $scratch
database = $scratch/index.txt
serial = $scratch/serial
new_certs_dir = $scratch
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
END
touch "$scratch/index.txt"
echo 01 >"$scratch/serial"

key() {
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

# NAME, subject alternative names, first and last day; the certificate and key of the authority, where it is not the root.
leaf() {
    openssl req -new -config "$scratch/ca.cnf" -key leaf.key -subj "/CN=rota test $1" \
        -addext "subjectAltName=$2" -addext "extendedKeyUsage=serverAuth" -out "$scratch/$1.csr"
    openssl ca -batch -notext -config "$scratch/ca.cnf" -cert "${5:-ca.pem}" -keyfile "${6:-$scratch/ca.key}" \
        -in "$scratch/$1.csr" -startdate "$3" -enddate "$4" -out "$1.pem"
}

key "$scratch/ca.key"
key leaf.key
openssl req -new -config "$scratch/ca.cnf" -key "$scratch/ca.key" -subj "/CN=rota test authority" -out "$scratch/ca.csr"
openssl ca -batch -notext -selfsign -config "$scratch/ca.cnf" -extensions authority -keyfile "$scratch/ca.key" \
    -in "$scratch/ca.csr" -startdate 20200101000000Z -enddate 21260101000000Z -out ca.pem
leaf good "DNS:localhost,IP:127.0.0.1" 20200101000000Z 21260101000000Z
leaf expired "DNS:localhost,IP:127.0.0.1" 20200101000000Z 20210101000000Z
leaf elsewhere "DNS:elsewhere.example" 20200101000000Z 21260101000000Z

# A leaf below an intermediate authority, which a receiver has to send along; a leaf signed by nobody but itself.
key "$scratch/intermediate.key"
openssl req -new -config "$scratch/ca.cnf" -key "$scratch/intermediate.key" -subj "/CN=rota test intermediate" \
    -out "$scratch/intermediate.csr"
openssl ca -batch -notext -config "$scratch/ca.cnf" -cert ca.pem -keyfile "$scratch/ca.key" -extensions authority \
    -in "$scratch/intermediate.csr" -startdate 20200101000000Z -enddate 21260101000000Z -out intermediate.pem
leaf below "DNS:localhost,IP:127.0.0.1" 20200101000000Z 21260101000000Z intermediate.pem "$scratch/intermediate.key"
openssl req -new -x509 -config "$scratch/ca.cnf" -key leaf.key -subj "/CN=rota test self-signed" -days 36500 \
    -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -addext "extendedKeyUsage=serverAuth" -out self-signed.pem

# The key of an identity provider that signs with RS256.
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out oidc-rsa.key
