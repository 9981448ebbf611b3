//! JSON pointers, looked up without an allocation: a report is read at several hundred of them.

use std::borrow::Cow;

use serde_json::Value;

pub(crate) trait Locate {
    /// The value at a JSON pointer (RFC 6901). `serde_json` unescapes every name into two new strings; names with `~` are
    /// rare, so the others are compared as they stand.
    fn locate(&self, pointer: &str) -> Option<&Value>;
}

impl Locate for Value {
    fn locate(&self, pointer: &str) -> Option<&Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, name| match value {
            Value::Object(map) => map.get(unescaped(name).as_ref()),
            Value::Array(items) => items.get(index(name)?),
            _ => None,
        })
    }
}

fn unescaped(name: &str) -> Cow<'_, str> {
    if name.contains('~') { Cow::Owned(name.replace("~1", "/").replace("~0", "~")) } else { Cow::Borrowed(name) }
}

/// A place in a list: digits alone, without a leading zero.
fn index(name: &str) -> Option<usize> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    name.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pointer_finds_what_serde_json_finds() {
        let value = json!({"a": {"b/c": [1, {"~d": null}], "": {"": 2}}, "10": [[3]], "m~n": 4});
        let pointers = [
            "",
            "/",
            "a",
            "/a",
            "/a/",
            "/a//",
            "/a/b~1c",
            "/a/b~1c/0",
            "/a/b~1c/00",
            "/a/b~1c/+1",
            "/a/b~1c/1/~0d",
            "/a/b~1c/1/~d",
            "/a/b~1c/2",
            "/a/b~1c/-1",
            "/10/0/0",
            "/10/0/0/0",
            "/m~0n",
            "/m~n",
            "/m~2n",
            "/x",
            "/a/b~1c/",
            "/10/18446744073709551616",
        ];
        for pointer in pointers {
            assert_eq!(value.locate(pointer), value.pointer(pointer), "{pointer}");
        }
    }
}
