use super::{Role, UserId};

/// On whose behalf rows are read. Every query over learners' rows restricts itself by this, in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Sees own rows, and those of the learners of a class that they assist with the right to.
    Learner(UserId),
    /// Sees those too, and the rows of the learners of the classes that they teach.
    Instructor(UserId),
}

impl Viewer {
    pub fn new(id: UserId, role: Role) -> Self {
        match role {
            Role::Learner => Self::Learner(id),
            Role::Instructor => Self::Instructor(id),
        }
    }

    pub fn id(self) -> UserId {
        match self {
            Self::Learner(id) | Self::Instructor(id) => id,
        }
    }

    pub fn teaches(self) -> bool {
        matches!(self, Self::Instructor(_))
    }
}

/// The restriction on a column that holds a user id. It takes `$1` = `viewer.id()` and `$2` = `viewer.teaches()`.
macro_rules! visible {
    ($column:literal) => {
        concat!("(", $column, " = $1 OR ", taught!($column), ")")
    };
}

/// The viewer may see the work of this learner as staff of a class of theirs, and not because it is their own.
macro_rules! taught {
    ($column:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM memberships seen ",
            "JOIN memberships t ON t.class_id = seen.class_id ",
            "WHERE seen.user_id = ",
            $column,
            " AND seen.role = 'learner' AND t.user_id = $1 AND ",
            rights!(may_grade),
            ")"
        )
    };
}

/// What the membership `t` of the viewer allows. An instructor of a class is one only while the account is: that is
/// `$2`. An assistant's rights are the class's to give, whatever the account.
macro_rules! rights {
    (teach) => {
        "(t.role = 'instructor' AND $2)"
    };
    (belong) => {
        "(t.role <> 'instructor' OR $2)"
    };
    (help) => {
        "(t.role = 'assistant' OR (t.role = 'instructor' AND $2))"
    };
    (may_edit) => {
        "(t.may_edit AND (t.role = 'assistant' OR $2))"
    };
    (may_grade) => {
        "(t.may_grade AND (t.role = 'assistant' OR $2))"
    };
}

/// `allowed!(may_grade, "$3")`: the viewer has this right in the class of that expression.
macro_rules! allowed {
    ($right:ident, $class:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM memberships t WHERE t.class_id = ",
            $class,
            " AND t.user_id = $1 AND ",
            rights!($right),
            ")"
        )
    };
}

/// The class of `user` holds back what `lab` earned: of several classes that a learner is in, one that holds is
/// enough. `now` is the present.
macro_rules! held {
    ($user:literal, $lab:literal, $now:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM lab_terms h JOIN memberships hm ON hm.class_id = h.class_id ",
            "WHERE hm.role = 'learner' AND hm.user_id = ",
            $user,
            " AND h.lab = ",
            $lab,
            " AND (h.release = 'held' OR (h.release = 'at' AND h.release_ms > ",
            $now,
            ")))"
        )
    };
}
