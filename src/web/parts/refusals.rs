//! Refusals in the words of a page: fields by their labels, people by their names.

use super::people::People;
use super::time::Times;
use crate::actions::Error;
use crate::domain::ids::UserId;
use crate::server::Problem;
use crate::web::form::{self, Errors};
use crate::web::visit::Visit;

/// Adds a refusal to what is wrong with a form that has these fields.
///
/// # Errors
/// When the storage cannot be read.
pub fn add(
    visit: &Visit,
    errors: &mut Errors,
    problem: &Problem,
    fields: &[&str],
) -> Result<(), Error> {
    let person = |user: &UserId| -> Result<String, Error> {
        let people = People::load(visit.app(), [user], false)?;
        Ok(match people.knows(user) {
            true => people.name(user).to_owned(),
            false => format!("`{user}`"),
        })
    };
    let times = Times {
        zone: visit.zone,
        now: visit.now,
    };
    let text = form::text(problem, person, |at| times.text(at))?;
    errors.add_refusal(problem.member(), &text, fields);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::fault::Fault;
    use crate::domain::refusal::Refusal;
    use std::convert::Infallible;

    #[test]
    fn people_have_names_and_what_rota_made_has_none() {
        let person = |user: &UserId| {
            Ok::<_, Infallible>(match user.as_str() {
                "U3" => "Ada".to_owned(),
                other => format!("`{other}`"),
            })
        };
        let cell = "cel_abcdefghijABCDEFGHIJ";
        for (fault, expected) in [
            (
                Fault::NotMember("U3".into()),
                "Ada is not a member of this rotation",
            ),
            (
                Fault::NotMember("U9".into()),
                "`U9` is not a member of this rotation",
            ),
            (
                Fault::NoCell(cell.into()),
                "this rotation has no such hours",
            ),
            ("send a shorter one".into(), "send a shorter one"),
            ("a stray ` is kept".into(), "a stray ` is kept"),
        ] {
            let problem = Problem::from(Refusal::invalid("userIds[1]", fault));
            assert_eq!(
                form::text(&problem, person, |at| at.to_string()),
                Ok(expected.to_owned())
            );
            assert_eq!(problem.member(), "userIds[1]");
        }
    }
}
