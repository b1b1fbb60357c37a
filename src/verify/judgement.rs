//! The judgement of a valid record: what it proves, what it doesn't, and the sentences for both, shared by the command
//! and the API.

use broadside_rules::record::{self, Discrepancy, Verified};

use crate::string_enums::string_enums;

/// A valid record, and its meaning.
#[derive(Debug)]
pub struct Judgement {
    /// The result of the check.
    pub verified: Verified,
    /// The progress of its match.
    pub stage: RecordStage,
    /// The id of its signing key.
    pub kid: String,
    /// True if the key is among the published ones. Otherwise its owner is unknown.
    pub published: bool,
}

string_enums! {
    /// How far the match of a record has come.
    pub enum RecordStage {
        /// It is being played.
        UnderWay,
        /// It was called off, and keeps its secrets.
        CalledOff,
        /// It has ended with a result, and everything is open.
        Whole,
    }
}

string_enums! {
    /// Something that a record proves, or doesn't.
    pub enum RecordClaim {
        /// The public reports are as they were signed.
        ReportsUnaltered,
        /// Every answer follows from the rules.
        AnswersTrue,
        /// Secrets are what was committed to.
        SecretsAsCommitted,
        /// Draws follow from the seed and the nonces.
        ChanceAsCommitted,
        /// The key is one of those that the service publishes.
        KeyPublished,
        /// Players asked for what the log says.
        PlayersAsked,
        /// Fleets that the server has placed were drawn at random.
        AutoFleetsRandom,
        /// The seed was committed to before the nonces were given.
        ChanceCommittedFirst,
        /// Nobody who runs the service has looked.
        NobodyLooked,
        /// Accounts are who they seem to be.
        WhoPlayed,
    }
}

/// A claim and its sentence.
#[derive(PartialEq, Eq, Debug)]
pub struct Statement {
    pub claim: RecordClaim,
    /// In English, for people.
    pub text: String,
}

impl Statement {
    fn new(claim: RecordClaim, text: impl Into<String>) -> Self {
        Self { claim, text: text.into() }
    }
}

/// Judges the bytes of a record, and whether its signing key is among the published ones, given by their public halves
/// (`x`); without them the key's owner stays open.
///
/// # Errors
/// Every place that does not fit.
pub fn judge(bytes: &[u8], published: Option<&[String]>) -> Result<Judgement, Vec<Discrepancy>> {
    let text = str::from_utf8(bytes).map_err(|error| vec![not_text(&error)])?;
    let verified = record::verify(text)?;
    let kid = verified.key.thumbprint();
    if published.is_some_and(|keys| !keys.contains(&verified.key.x)) {
        return Err(vec![unpublished(&kid)]);
    }
    Ok(Judgement { stage: RecordStage::of(&verified), kid, published: published.is_some(), verified })
}

fn not_text(error: &dyn std::error::Error) -> Discrepancy {
    Discrepancy { pointer: String::new(), code: "record-not-json", detail: format!("it is not UTF-8: {error}") }
}

fn unpublished(kid: &str) -> Discrepancy {
    Discrepancy {
        pointer: "/signature/key".to_owned(),
        code: "record-unknown-key",
        detail: format!("the key {kid} is not among the published keys for records"),
    }
}

impl RecordStage {
    const fn of(verified: &Verified) -> Self {
        match verified {
            Verified { whole: true, .. } => Self::Whole,
            Verified { called_off: true, .. } => Self::CalledOff,
            _ => Self::UnderWay,
        }
    }
}

impl Judgement {
    pub fn proven(&self) -> Vec<Statement> {
        let Verified { reports, opened, .. } = &self.verified;
        let unaltered = format!(
            "the {reports} public reports are signed as they stand: none was altered, added, left out or moved since"
        );
        let mut said = vec![Statement::new(RecordClaim::ReportsUnaltered, unaltered)];
        match self.stage {
            RecordStage::Whole => said.extend([
                Statement::new(
                    RecordClaim::AnswersTrue,
                    "every answer was judged again by the rules, and each is true",
                ),
                Statement::new(
                    RecordClaim::SecretsAsCommitted,
                    format!(
                        "what was ordered in secret is what was committed to at the time ({opened} commitments opened)"
                    ),
                ),
                Statement::new(
                    RecordClaim::ChanceAsCommitted,
                    "what was left to chance follows from the seed committed to in the header and the players' nonces",
                ),
            ]),
            RecordStage::UnderWay | RecordStage::CalledOff => said.push(Statement::new(
                RecordClaim::SecretsAsCommitted,
                format!("the secrets in this record are what was committed to ({opened} commitments opened)"),
            )),
        }
        if self.published {
            let text = format!("the key {} is among the published keys", self.kid);
            said.push(Statement::new(RecordClaim::KeyPublished, text));
        }
        said
    }

    /// Statements of what it doesn't prove, and where to look.
    pub fn not_proven(&self) -> Vec<Statement> {
        let commitment = &self.verified.header.chance_commitment;
        let mut said = Vec::new();
        if !self.published {
            let text = "whose key it is: anybody can make a key and sign a record with it";
            said.push(Statement::new(RecordClaim::KeyPublished, text));
        }
        let answers = match self.stage {
            RecordStage::UnderWay => {
                Some("that the answers are true: the match has not ended with a result, so what is secret stays closed")
            }
            RecordStage::CalledOff => {
                Some("that the answers were true: the match was called off, so what is secret was never opened")
            }
            RecordStage::Whole => None,
        };
        said.extend(answers.map(|text| Statement::new(RecordClaim::AnswersTrue, text)));
        let first = format!(
            "that the commitment to chance was published before the nonces were given: compare {commitment} with what the challenge \
             showed before anybody joined"
        );
        said.extend([
            Statement::new(
                RecordClaim::PlayersAsked,
                "that the players asked for what the log says: they sign nothing",
            ),
            Statement::new(
                RecordClaim::AutoFleetsRandom,
                "where the server placed a fleet (`auto`), that the placement was drawn at random",
            ),
            Statement::new(RecordClaim::ChanceCommittedFirst, first),
            Statement::new(
                RecordClaim::NobodyLooked,
                "that nobody who runs the service looked at what is secret, or told somebody",
            ),
            Statement::new(RecordClaim::WhoPlayed, "who sat behind the accounts"),
        ]);
        said
    }
}
