//! What edits of a rotation would come to (rules.md 6.4).

use super::absence::{self, AbsenceRequest};
use super::body::{self, Object, invalid, objects, present};
use super::chat::OnDutyGroupRequest;
use super::edit::{self, PatchRequest};
use super::grid::{self, GridRequest};
use super::mention::MentionSettingsRequest;
use super::moment::Moment;
use super::problem::Problem;
use super::repeated::Repeated;
use super::report::hours;
use super::roster::{self, CommonRosterRequest, RosterRequest, ids};
use super::rotation::ChannelSetting;
use super::schedule::{self, PlannedTurn};
use super::strict::strict;
use super::warning::{Warning, WarningSettingsRequest};
use crate::domain::edit::{ChannelChange, ChannelSpec, Edits};
use crate::domain::forecast::{Difference, Planned};
use crate::domain::grid::RosterSpec;
use crate::domain::ids::{CellId, RosterId, UserId};
use crate::domain::key::is_plain;
use crate::domain::load::Load;
use crate::domain::refusal::Refusal;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

strict! { PreviewRequest }

/// Rosters that one preview writes at the most, and absences that it creates or deletes.
const ROSTERS: usize = 401;

/// Declares a request with the members of edits after its own.
macro_rules! edit_request {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$member:meta])* $own:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$member])* $own: $type,)*
            /// As PATCH of the rotation takes it. A `summary` is applied after `channels`.
            #[serde(default, deserialize_with = "crate::wire::body::nullable_object")]
            rotation: Option<crate::wire::edit::PatchRequest>,
            /// As PUT coverage takes it.
            #[serde(default, deserialize_with = "crate::wire::body::nullable_object")]
            coverage: Option<crate::wire::grid::GridRequest>,
            /// By their ids, as PUT of a roster takes them. The empty id is the common roster, of which only next turns can be set.
            #[serde(default)]
            #[schemars(with = "std::collections::BTreeMap<String, crate::wire::roster::RosterRequest>")]
            rosters: crate::wire::preview::Rosters,
            /// Members who leave the rotation together: user ids, at most 1,000.
            #[serde(default)]
            remove: Vec<String>,
            /// All channels of the rotation, at most 50. One with neither setting is taken out.
            #[serde(default, deserialize_with = "crate::wire::preview::channels")]
            #[schemars(with = "Option<Vec<crate::wire::preview::ChannelItem>>")]
            channels: Option<Vec<crate::wire::preview::ChannelItem>>,
            /// As PUT on-duty-group takes it; null unbinds the user group.
            #[serde(default, deserialize_with = "crate::wire::body::clearable_object")]
            #[schemars(with = "Option<crate::wire::chat::OnDutyGroupRequest>")]
            on_duty_group: Option<Option<crate::wire::chat::OnDutyGroupRequest>>,
            /// As PUT mention-settings takes them.
            #[serde(default, deserialize_with = "crate::wire::body::nullable_object")]
            mention_settings: Option<crate::wire::mention::MentionSettingsRequest>,
            /// As PUT warning-settings takes them.
            #[serde(default, deserialize_with = "crate::wire::body::nullable_object")]
            warning_settings: Option<crate::wire::warning::WarningSettingsRequest>,
        }

        impl $name {
            /// The edits.
            fn edits(
                &mut self,
            ) -> Result<crate::domain::edit::Edits, crate::domain::refusal::Refusal> {
                crate::wire::preview::Members {
                    rotation: self.rotation.take(),
                    coverage: self.coverage.take(),
                    rosters: std::mem::take(&mut self.rosters),
                    remove: std::mem::take(&mut self.remove),
                    channels: self.channels.take(),
                    on_duty_group: self.on_duty_group.take(),
                    mention_settings: self.mention_settings.take(),
                    warning_settings: self.warning_settings.take(),
                }
                .read()
            }
        }
    };
}
pub(super) use edit_request;

edit_request! {
    /// Edits to look at together. Each member is what the route that it belongs to takes. They are applied in this order: rotation,
    /// coverage, rosters, absences, remove, channels, onDutyGroup, mentionSettings, warningSettings.
    pub struct PreviewRequest {
        /// As POST availability takes them, at most 100.
        #[serde(default, deserialize_with = "objects")]
        absences: Vec<AbsenceRequest>,
        /// Ids of absences to delete, at most 100.
        #[serde(default)]
        remove_absence_ids: Vec<String>,
        /// When the edits are made: now by default, at most 366 days ahead.
        #[serde(default)]
        at: Option<Moment>,
    }
}

strict!(ChannelItem => ChannelSetting);

/// A channel of the whole list. For one that is new, `postsMessages` defaults to true and `syncsTopic` to the rotation's
/// `enableTopic`; for others to what they are.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelItem {
    channel_id: String,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    posts_messages: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    syncs_topic: Option<bool>,
}

/// Reads a list of channels.
pub(super) fn channels<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Vec<ChannelItem>>, D::Error> {
    objects(from).map(Some)
}

/// The members of edits, as they were sent.
pub(super) struct Members {
    pub rotation: Option<PatchRequest>,
    pub coverage: Option<GridRequest>,
    pub rosters: Rosters,
    pub remove: Vec<String>,
    pub channels: Option<Vec<ChannelItem>>,
    pub on_duty_group: Option<Option<OnDutyGroupRequest>>,
    pub mention_settings: Option<MentionSettingsRequest>,
    pub warning_settings: Option<WarningSettingsRequest>,
}

impl Members {
    /// Reads edits.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member, as the route that it belongs to does, below the member of this body.
    pub fn read(self) -> Result<Edits, Refusal> {
        fn under<T>(name: &str, read: Option<Result<T, Refusal>>) -> Result<Option<T>, Refusal> {
            let read = read.map(|read| read.map_err(|refusal| refusal.under(name)));
            read.transpose()
        }
        let channel = |item: ChannelItem| ChannelSpec {
            channel: item.channel_id.into(),
            change: ChannelChange {
                posts_messages: item.posts_messages,
                syncs_topic: item.syncs_topic,
            },
        };
        let group =
            |sent: Option<OnDutyGroupRequest>| sent.map(OnDutyGroupRequest::read).transpose();
        let rosters = self.rosters.0.into_iter().map(one_roster);
        let edits = Edits {
            patch: under("rotation", self.rotation.map(edit::patch_of))?,
            coverage: under("coverage", self.coverage.map(grid::spec))?,
            rosters: rosters.collect::<Result<_, _>>()?,
            leavers: ids::<UserId>(self.remove),
            channels: self
                .channels
                .map(|items| items.into_iter().map(channel).collect()),
            duty_group: under("onDutyGroup", self.on_duty_group.map(group))?,
            mentions: under(
                "mentionSettings",
                self.mention_settings.map(MentionSettingsRequest::read),
            )?,
            warnings: under(
                "warningSettings",
                self.warning_settings.map(WarningSettingsRequest::read),
            )?,
            ..Edits::default()
        };
        edits.checked()
    }
}

/// Bodies of rosters by their ids, in the order sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Rosters(Vec<(String, RosterBody)>);

#[derive(Clone, Debug)]
enum RosterBody {
    Named(RosterRequest),
    Common(CommonRosterRequest),
}

impl<'de> Deserialize<'de> for Rosters {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Rosters, D::Error> {
        struct ById;
        impl<'de> Visitor<'de> for ById {
            type Value = Rosters;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Rosters, A::Error> {
                let mut found: Vec<(String, RosterBody)> = Vec::new();
                while let Some(id) = members.next_key::<String>()? {
                    if found.len() == ROSTERS {
                        return Err(A::Error::custom(format_args!("send at most {ROSTERS}")));
                    }
                    if found.iter().any(|(known, _)| *known == id) {
                        return Err(A::Error::custom(format_args!("duplicate field `{id}`")));
                    }
                    let body = match id.is_empty() {
                        true => RosterBody::Common(members.next_value::<Object<_>>()?.0),
                        false => RosterBody::Named(members.next_value::<Object<_>>()?.0),
                    };
                    found.push((id, body));
                }
                Ok(Rosters(found))
            }
        }
        from.deserialize_map(ById)
    }
}

/// Edits to look at.
pub struct Asked {
    pub edits: Edits,
    /// What `rotation` repeats of it without changing it.
    pub repeated: Option<Repeated>,
    pub at: Option<Timestamp>,
}

/// Reads edits to look at.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member, as the route that it belongs to does, below the member of this body.
pub fn parse(bytes: &[u8]) -> Result<Asked, Refusal> {
    let mut request: PreviewRequest = body::parse(bytes)?;
    let repeated = match &request.rotation {
        Some(_) => repeated(body::read(bytes)?),
        None => None,
    };
    let edits = request.edits()?;
    let absences = request.absences.into_iter().enumerate();
    let absences = absences.map(|(index, new)| {
        let path = format!("absences[{index}]");
        absence::absence(new).map_err(|refusal| refusal.under(&path))
    });
    let edits = Edits {
        absences: absences.collect::<Result<_, _>>()?,
        removed_absences: ids(request.remove_absence_ids),
        ..edits
    };
    Ok(Asked {
        edits: edits.checked()?,
        repeated,
        at: request.at.map(|at| at.0),
    })
}

/// What `rotation` repeats of the rotation without changing it.
pub(super) fn repeated(mut members: Map<String, Value>) -> Option<Repeated> {
    match members.remove("rotation") {
        Some(Value::Object(sent)) => Some(Repeated::of(sent)),
        _ => None,
    }
}

fn one_roster((id, body): (String, RosterBody)) -> Result<(Option<RosterId>, RosterSpec), Refusal> {
    if !id.is_empty() && !is_plain(&id) {
        return invalid(
            "rosters",
            "name each by its id, 1 to 64 of A-Z a-z 0-9 _ -, and the common roster by an empty one",
        );
    }
    let path = format!("rosters.{id}");
    let below = |refusal: Refusal| refusal.under(&path);
    Ok(match body {
        RosterBody::Named(body) => {
            let spec = roster::roster(body).map_err(below)?;
            (Some(RosterId::from(id)), spec)
        }
        RosterBody::Common(body) => (None, roster::common(body).map_err(below)?),
    })
}

/// What edits would come to.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotationPreview<'p> {
    /// The edits that the rotation's state refuses, with the problems that their routes answer. The others are applied all the
    /// same. Empty where all of them can be made.
    pub refusals: Vec<PreviewRefusal>,
    /// The plan as it is: the turns that touch the span, as the schedule has them.
    #[schemars(with = "Vec<PlannedTurn>")]
    pub now: Turns<'p>,
    /// The plan with the edits. Lanes, windows and cells that they add have ids with `new` in them, which they do not keep.
    #[schemars(with = "Vec<PlannedTurn>")]
    pub then: Turns<'p>,
    /// Where others would be on call, by beginning and slot, within the span.
    pub differences: Vec<PreviewDifference>,
    /// How often who is on call in a cell changes within the span, a change to nobody included, as it is.
    pub hand_overs_before: i32,
    /// The same with the edits.
    pub hand_overs_after: i32,
    /// Everybody who is on call in one of the two plans, by id.
    pub per_person: Vec<PersonChange>,
    /// What is wrong with the plan with the edits.
    pub warnings: Vec<Warning>,
}

/// An edit that the rotation's state refuses.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewRefusal {
    /// The member of the request that it is, such as `coverage` or `absences[0]`.
    pub member: String,
    #[serde(flatten)]
    pub problem: Problem,
}

/// Turns of a plan. They are rendered one by one while they are written.
pub struct Turns<'p>(pub Planned<'p>);

impl Serialize for Turns<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Turns(planned) = self;
        let turns = planned.duties.iter();
        to.collect_seq(turns.map(|turn| schedule::render(planned.rotation, turn)))
    }
}

/// A stretch in which somebody else, or nobody, is on call in a cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewDifference {
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    pub cell_id: String,
    /// Who is on call as it is; null for nobody.
    pub before: Option<String>,
    /// Who would be on call; null for nobody.
    pub after: Option<String>,
}

impl From<&Difference<CellId>> for PreviewDifference {
    fn from(found: &Difference<CellId>) -> PreviewDifference {
        let one = |users: &[UserId]| users.first().map(ToString::to_string);
        PreviewDifference {
            from: found.period.from.into(),
            to: found.period.until.into(),
            cell_id: found.place.to_string(),
            before: one(&found.before),
            after: one(&found.after),
        }
    }
}

/// How much a person is on call in the span, in hours. Being on call in two cells at once counts once.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonChange {
    pub user_id: String,
    pub hours_before: f64,
    pub hours_after: f64,
    /// Those of them from 22:00 to 06:00 in the person's zone.
    pub nights_before: f64,
    pub nights_after: f64,
    /// Those of them on weekends of the cadence's countries, else on Saturdays and Sundays.
    pub weekends_before: f64,
    pub weekends_after: f64,
    /// Those of them on holidays of the cadence's countries.
    pub holidays_before: f64,
    pub holidays_after: f64,
}

/// Renders what edits change for a person.
pub fn person(user: &UserId, before: &Load, after: &Load) -> PersonChange {
    PersonChange {
        user_id: user.to_string(),
        hours_before: hours(before.hours),
        hours_after: hours(after.hours),
        nights_before: hours(before.nights),
        nights_after: hours(after.nights),
        weekends_before: hours(before.weekends),
        weekends_after: hours(after.weekends),
        holidays_before: hours(before.holidays),
        holidays_after: hours(after.holidays),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;
    use serde_json::json;

    fn refused(body: &[u8]) -> String {
        let Err(refusal) = parse(body) else {
            panic!("a refusal")
        };
        crate::tests::detail(&refusal)
    }

    #[test]
    fn refusals_name_the_member_below_its_part() {
        let window = json!({ "id": "w", "timeZone": "EST" });
        for (body, path) in [
            (json!({ "rotation": { "name": 7 } }), "rotation.name: "),
            (json!({ "rotation": { "nam": "x" } }), "rotation.nam: "),
            (json!({ "rotation": { "name": " " } }), "rotation.name: "),
            (json!({ "rotation": 7 }), "rotation: "),
            (json!({ "coverage": {} }), "coverage.lanes: "),
            (
                json!({ "coverage": { "lanes": [{ "id": "a" }], "windows": [window] } }),
                "coverage.windows[0].timeZone: ",
            ),
            (json!({ "rosters": [] }), "rosters: "),
            (
                json!({ "rosters": { "r": { "userIds": [] } } }),
                "rosters.r.userIds: ",
            ),
            (json!({ "rosters": { "r": 7 } }), "rosters.r: "),
            (
                json!({ "rosters": { "": { "userIds": ["U1"] } } }),
                "rosters..userIds: ",
            ),
            (json!({ "rosters": { "r s": {} } }), "rosters"),
            (json!({ "absences": [{}] }), "absences[0].userId: "),
            (
                json!({ "absences": [{ "userId": "U1", "from": "2026-11-24T00:00:00Z",
                                       "until": "2026-11-23T00:00:00Z" }] }),
                "absences[0].until: ",
            ),
            (json!({ "removeAbsenceIds": [7] }), "removeAbsenceIds[0]: "),
            (json!({ "remove": ["U1", "U1"] }), "remove[1]: "),
            (json!({ "remove": "U1" }), "remove: "),
            (json!({ "at": "tomorrow" }), "at: "),
            (json!({ "days": 9 }), "days: "),
        ] {
            let detail = refused(body.to_string().as_bytes());
            assert!(detail.starts_with(path), "{body}: {detail}");
        }
        let twice = br#"{ "rosters": { "r": { "nextTurn": 0 }, "r": { "nextTurn": 1 } } }"#;
        let detail = refused(twice);
        assert!(detail.starts_with("rosters.r: sent twice"), "{detail}");
    }

    #[test]
    fn hours_are_those_of_reports() {
        let load = Load {
            hours: SignedDuration::from_mins(20),
            ..Load::default()
        };
        let change = person(&UserId::from("U1"), &Load::default(), &load);
        assert_eq!((change.hours_before, change.hours_after), (0.0, 0.333333));
    }

    #[test]
    fn rosters_past_the_limit_are_not_read() {
        let read = |count: usize, last: &str| {
            let one = |index| format!(r#""r{index}":{{"nextTurn":0}},"#);
            let many: String = (1..count).map(one).collect();
            parse(format!(r#"{{"rosters":{{{many}"last":{last}}}}}"#).as_bytes())
        };
        assert!(read(ROSTERS, r#"{"nextTurn":0}"#).is_ok());
        for last in [r#"{"nextTurn":0}"#, "7"] {
            let found = read(ROSTERS + 1, last).map(|_| ());
            assert_eq!(found, invalid("rosters", format!("send at most {ROSTERS}")));
        }
    }

    #[test]
    fn each_part_is_read_as_its_route_reads_it() {
        let body = br#"{
            "rotation": { "enabled": false, "mode": "auto" },
            "rosters": { "b": { "nextTurn": 1 }, "a": { "userIds": ["U1"] }, "": { "nextTurn": 0 } },
            "removeAbsenceIds": ["abs_1"], "remove": ["U2"], "coverage": null, "at": "2026-11-23T09:00:00+01:00"
        }"#;
        let asked = parse(body).expect("a preview");
        assert_eq!(asked.edits.patch.expect("a patch").enabled, Some(false));
        let rosters = asked.edits.rosters.iter();
        let ids: Vec<_> = rosters
            .map(|(id, _)| id.as_ref().map(RosterId::as_str))
            .collect();
        assert_eq!(ids, [Some("b"), Some("a"), None]);
        assert!(asked.repeated.is_some() && asked.edits.coverage.is_none());
        assert_eq!(
            asked.at,
            Some("2026-11-23T08:00:00Z".parse().expect("an instant"))
        );
    }
}
