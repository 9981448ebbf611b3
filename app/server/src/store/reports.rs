//! Reports: the exact bytes that arrived, and what was read from them. Written once.

use evidence::{Backend, DeviceFacts, DeviceKind, EvidenceClass, EvidenceLevel, Shape};

use super::{
    JobId, ReportId, ReportOrigin, RunnerId, Store, StoreError, UserId, UtcMs, Viewer, Word, clean_text,
    secret::sha256_hex,
};

mod read;

pub use read::{Filter, Twin, get, list, raw, raw_for_grading, twins, ungraded};

const DEVICE_NAME_MAX: usize = 200;
/// Lab ids are folder names; what is longer, or holds what a name does not show, names no lab.
const LAB_MAX: usize = 64;

/// A report as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct NewReport<'a> {
    pub raw: &'a [u8],
    pub shape: Shape,
    /// The lab it is about, if that could be told.
    pub lab: Option<&'a str>,
    pub class: EvidenceClass,
    pub level: Option<EvidenceLevel>,
    pub device: Option<&'a DeviceFacts>,
}

/// How an uploaded file came. A runner's report enters by `jobs::finish` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadedBy {
    File,
    Browser,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    New(ReportId),
    /// The same learner sent the same bytes before.
    Already(ReportId),
}

impl Stored {
    pub fn id(self) -> ReportId {
        match self {
            Self::New(id) | Self::Already(id) => id,
        }
    }
}

/// A report without its bytes.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ReportRow {
    pub id: ReportId,
    pub user_id: UserId,
    pub job_id: Option<JobId>,
    pub sha256: String,
    pub shape: Word<Shape>,
    pub lab: Option<String>,
    pub class: Word<EvidenceClass>,
    pub level: Option<Word<EvidenceLevel>>,
    pub provenance: ReportOrigin,
    pub device_backend: Option<Word<Backend>>,
    pub device_kind: Option<Word<DeviceKind>>,
    pub device_name: Option<String>,
    pub runner_id: Option<RunnerId>,
    pub created_ms: UtcMs,
}

/// The signature of a runner's report and whose it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signed<'a> {
    pub(crate) job: JobId,
    pub(crate) runner: RunnerId,
    pub(crate) signature: &'a [u8],
}

/// Everything an INSERT binds, worked out once for both engines.
pub(crate) struct Columns<'a> {
    pub(crate) id: ReportId,
    pub(crate) sha256: String,
    pub(crate) new: NewReport<'a>,
    pub(crate) origin: ReportOrigin,
    pub(crate) device_name: Option<String>,
    pub(crate) signed: Option<Signed<'a>>,
}

impl<'a> Columns<'a> {
    pub(crate) fn of(new: NewReport<'a>, origin: ReportOrigin, signed: Option<Signed<'a>>) -> Self {
        let device_name = new.device.map(|d| match clean_text(&d.name, DEVICE_NAME_MAX) {
            // A name of unseen characters alone: shown as what it is, not as no name.
            name if name.trim().is_empty() && !d.name.is_empty() => "\u{fffd}".to_owned(),
            name => name,
        });
        let new = NewReport { lab: new.lab.filter(|lab| clean_text(lab, LAB_MAX) == **lab), ..new };
        Self { id: ReportId::new(), sha256: sha256_hex(new.raw), new, origin, device_name, signed }
    }
}

/// `insert_report!(tx, user, now, columns)` gives the number of rows: 0 when this learner uploaded these bytes before.
macro_rules! insert_report {
    ($tx:ident, $user:expr, $now:expr, $columns:expr) => {{
        let (new, signed) = (&$columns.new, $columns.signed.as_ref());
        sqlx::query(
            "INSERT INTO reports (id, user_id, job_id, raw, sha256, shape, lab, class, level, provenance, \
               device_backend, device_kind, device_name, runner_id, signature, created_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
             ON CONFLICT (user_id, sha256) WHERE provenance <> 'runner' DO NOTHING",
        )
        .bind($columns.id)
        .bind($user)
        .bind(signed.map(|s| s.job))
        .bind(new.raw)
        .bind(&$columns.sha256)
        .bind($crate::store::Word(new.shape))
        .bind(new.lab)
        .bind($crate::store::Word(new.class))
        .bind(new.level.map($crate::store::Word))
        .bind($columns.origin)
        .bind(new.device.map(|d| $crate::store::Word(d.backend)))
        .bind(new.device.map(|d| $crate::store::Word(d.kind)))
        .bind(&$columns.device_name)
        .bind(signed.map(|s| s.runner))
        .bind(signed.map(|s| s.signature))
        .bind($now)
        .execute(&mut *$tx)
        .await?
        .rows_affected()
    }};
}
pub(crate) use insert_report;

/// Stores what a learner sent. Sending the same file again gives the report that is there.
pub async fn upload(store: &Store, user: UserId, new: NewReport<'_>, by: UploadedBy) -> Result<Stored, StoreError> {
    let origin = match by {
        UploadedBy::File => ReportOrigin::Upload,
        UploadedBy::Browser => ReportOrigin::Browser,
    };
    let (columns, now) = (Columns::of(new, origin, None), store.now());
    in_tx!(store, tx => {
        if insert_report!(tx, user, now, columns) == 1 {
            Ok(Stored::New(columns.id))
        } else {
            let sql = "SELECT id FROM reports WHERE user_id = $1 AND sha256 = $2 AND provenance <> 'runner'";
            let (id,) = sqlx::query_as(sql).bind(user).bind(&columns.sha256).fetch_one(&mut *tx).await?;
            Ok(Stored::Already(id))
        }
    })
}

/// Can this viewer see this learner's rows at all? For a page about one learner.
pub async fn may_see(store: &Store, viewer: Viewer, user: UserId) -> Result<bool, StoreError> {
    Ok(super::users::get(store, viewer, user).await?.is_some())
}
