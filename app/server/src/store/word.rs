use std::ops::Deref;

use serde::{
    Serialize,
    de::{DeserializeOwned, IntoDeserializer, value},
};

/// A closed list of another crate in a text column, by the name that its serde form has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Word<T>(pub T);

impl<T> Deref for Word<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<DB: sqlx::Database, T> sqlx::Type<DB> for Word<T>
where
    String: sqlx::Type<DB>,
{
    fn type_info() -> DB::TypeInfo {
        <String as sqlx::Type<DB>>::type_info()
    }
    fn compatible(ty: &DB::TypeInfo) -> bool {
        <String as sqlx::Type<DB>>::compatible(ty)
    }
}

impl<'q, DB: sqlx::Database, T: Serialize> sqlx::Encode<'q, DB> for Word<T>
where
    String: sqlx::Encode<'q, DB>,
{
    fn encode_by_ref(
        &self,
        buf: &mut <DB as sqlx::Database>::ArgumentBuffer,
    ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
        match serde_json::to_value(&self.0)? {
            serde_json::Value::String(word) => sqlx::Encode::<DB>::encode(word, buf),
            other => Err(format!("not a word: {other}").into()),
        }
    }
}

impl<'r, DB: sqlx::Database, T: DeserializeOwned> sqlx::Decode<'r, DB> for Word<T>
where
    String: sqlx::Decode<'r, DB>,
{
    fn decode(value: <DB as sqlx::Database>::ValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
        let word = <String as sqlx::Decode<'r, DB>>::decode(value)?;
        let de: value::StringDeserializer<value::Error> = word.into_deserializer();
        Ok(Self(T::deserialize(de)?))
    }
}
