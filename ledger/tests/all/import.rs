//! What `config.json` files become, and what is said about those that become nothing.

use std::{fs, path::PathBuf};

use ledger::{MAX_CONFIG_BYTES, Model, catalogue, import_config};
use serde_json::{Value, json};

/// A complete Llama configuration with one key changed; `null` removes it.
fn llama(changes: &[(&str, Value)]) -> String {
    let mut document = json!({
        "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256
    });
    for (key, value) in changes {
        document[*key] = value.clone();
    }
    document.to_string()
}

fn read(json: &str) -> Model {
    import_config(json).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn families_and_defaults() {
    let model = read(&llama(&[]));
    assert_eq!((model.head_dim, model.tied, model.max_positions), (128, false, 2048));
    assert_eq!(read(&llama(&[("num_key_value_heads", json!(null))])).kv_heads, 32);
    assert_eq!(read(&llama(&[("head_dim", json!(64))])).head_dim, 64);
    assert!(read(&llama(&[("tie_word_embeddings", json!(true))])).tied);
    assert_eq!(read(&llama(&[("hidden_size", json!(4096.0))])).hidden, 4096);

    let qwen2 = read(&llama(&[("model_type", json!("qwen2"))]));
    assert!(qwen2.biases.qkv && !qwen2.biases.out && !qwen2.qk_norm && qwen2.window.is_none());
    let qwen3 = read(&llama(&[("model_type", json!("qwen3")), ("hidden_size", json!(1024))]));
    assert!(qwen3.qk_norm && !qwen3.biases.qkv);
    assert_eq!(qwen3.head_dim, 128, "Qwen3's default, not 1024 / 32");

    let mistral = read(&llama(&[("model_type", json!("mistral"))]));
    assert_eq!(mistral.window.map(|window| (window.tokens, window.layers)), Some((4096, 32)));
    let everything = llama(&[("model_type", json!("mistral")), ("sliding_window", json!(8192))]);
    assert_eq!(read(&everything).window.map(|window| window.tokens), Some(8192));
    let unbounded = everything.replace("8192", "null");
    assert_eq!(read(&unbounded).window, None);

    let gpt2 = read(r#"{"model_type": "gpt2", "n_embd": 768}"#);
    assert_eq!(gpt2.parameters(), Ok(124_439_808));
    assert_eq!(read(r#"{"model_type": "gpt2", "n_layer": 12, "n_inner": 1024}"#).intermediate, 1024);
}

/// What the nested files of real multimodal models state, and the language model they mean.
#[test]
fn left_out_keys_take_the_familys_defaults() {
    let cases = [
        // LLaVA 1.5 7B: a Llama 2 with 64 more tokens.
        (json!({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064}}), 6_738_939_904),
        // Gemma 3 4B.
        (
            json!({"model_type": "gemma3", "text_config": {
                "model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
                "num_hidden_layers": 34, "sliding_window": 1024}}),
            3_880_263_168,
        ),
    ];
    for (document, parameters) in cases {
        let imported = ledger::import(&document.to_string()).expect("a known family");
        assert_eq!(imported.model.parameters(), Ok(parameters), "{document}");
        assert!(!imported.assumed.is_empty(), "{document}");
    }
    let complete = ledger::import(&llama(&[("max_position_embeddings", json!(8192))])).expect("complete");
    assert_eq!(complete.assumed, []);
}

#[test]
fn biases_of_llama() {
    let plain = read(&llama(&[])).parameters().expect("a small model");
    let attention = read(&llama(&[("attention_bias", json!(true))])).parameters().expect("a small model");
    assert_eq!(attention - plain, 32 * (4096 + 2 * 1024 + 4096));
    let mlp = read(&llama(&[("mlp_bias", json!(true))])).parameters().expect("a small model");
    assert_eq!(mlp - plain, 32 * (2 * 14336 + 4096));
}

#[test]
fn the_language_model_of_a_multimodal_file() {
    let inner: Value = serde_json::from_str(&llama(&[])).expect("written above");
    let named = json!({"model_type": "llava", "text_config": inner, "vision_config": {"hidden_size": 1}});
    assert_eq!(read(&named.to_string()), read(&llama(&[])));
    let mut nameless = inner.clone();
    nameless.as_object_mut().expect("an object").remove("model_type");
    let outer = json!({"model_type": "llama", "text_config": nameless});
    assert_eq!(read(&outer.to_string()), read(&llama(&[])));
    let broken = json!({"model_type": "llava", "text_config": {"model_type": "llama", "hidden_size": []}});
    let error = import_config(&broken.to_string()).expect_err("a list is no size");
    assert_eq!(error.pointer(), "/text_config/hidden_size");
}

#[test]
fn the_class_name_where_the_type_is_missing() {
    let classes = json!({"architectures": ["GPT2LMHeadModel"], "n_head": 12});
    assert_eq!(read(&classes.to_string()).parameters(), Ok(124_439_808));
}

#[test]
fn errors_name_place_expected_and_found() {
    let big = "9".repeat(30);
    let cases: &[(String, &str, &str, &str)] = &[
        ("".to_owned(), "", "a JSON document", "1:0"),
        ("{".to_owned(), "", "a JSON document", "1:1"),
        ("[]".to_owned(), "", "a JSON object", "[]"),
        ("{}".to_owned(), "/model_type", "llama, qwen2", "∅"),
        (r#"{"model_type": "mamba"}"#.to_owned(), "/model_type", "one of llama", "\"mamba\""),
        (r#"{"model_type": 7}"#.to_owned(), "/model_type", "a string", "7"),
        (r#"{"model_type": "llama"}"#.to_owned(), "/hidden_size", "hidden_size", "∅"),
        (llama(&[("hidden_size", json!("4096"))]), "/hidden_size", "an integer", "\"4096\""),
        (llama(&[("hidden_size", json!(0))]), "/hidden_size", "an integer from 1", "0"),
        (llama(&[("hidden_size", json!(-4096))]), "/hidden_size", "an integer from 1", "-4096"),
        (llama(&[("hidden_size", json!(1.5))]), "/hidden_size", "an integer", "1.5"),
        (llama(&[("hidden_size", json!(1u64 << 41))]), "/hidden_size", "an integer from 1", "2199023255552"),
        (llama(&[]).replace("4096", &big), "/hidden_size", "an integer from 1", "1e+30"),
        (llama(&[("hidden_size", json!(4100))]), "/hidden_size", "a multiple of /num_attention_heads (32)", "4,100"),
        (
            llama(&[("num_key_value_heads", json!(5))]),
            "/num_attention_heads",
            "a multiple of /num_key_value_heads",
            "32",
        ),
        (llama(&[("tie_word_embeddings", json!("yes"))]), "/tie_word_embeddings", "true or false", "\"yes\""),
        (llama(&[("text_config", json!(3))]), "/text_config", "a JSON object", "3"),
        ("[".repeat(200), "", "a JSON document", "recursion"),
        (" ".repeat(MAX_CONFIG_BYTES + 1), "", "a file of at most 1 MiB", "1.00 MiB"),
    ];
    for (json, pointer, expected, found) in cases {
        let shown = &json[..json.len().min(120)];
        let error = import_config(json).err().unwrap_or_else(|| panic!("{shown} is refused"));
        assert_eq!(error.pointer(), *pointer, "{shown}");
        assert!(error.expected().en.starts_with(expected), "{shown}: {}", error.expected().en);
        assert!(error.found().contains(found), "{shown}: {}", error.found());
        assert!(!error.fix().en.is_empty() && !error.fix().zh.is_empty(), "{shown}");
    }
}

#[test]
fn shared_configurations_equal_the_catalogue() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/ledger/configs");
    if !folder.exists() {
        println!("skipped: no configurations beside the repository");
        return;
    }
    let mut compared = 0;
    for model in catalogue::models() {
        let Ok(json) = fs::read_to_string(folder.join(format!("{}.json", model.name))) else { continue };
        let imported = Model { name: model.name.clone(), ..read(&json) };
        assert_eq!(&imported, model);
        compared += 1;
    }
    assert!(compared >= 20, "only {compared} models were compared");
}

/// Settings as published checkpoints state them.
#[test]
fn quantised_checkpoints_say_how_they_are_stored() {
    let cases = [
        (json!({"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": true, "desc_act": false}), "awq_4_128"),
        (json!({"quant_method": "awq", "bits": 4, "group_size": 64, "zero_point": true}), "awq_4_64"),
        (json!({"load_in_4bit": true, "bnb_4bit_use_double_quant": true, "bnb_4bit_quant_type": "nf4"}), "nf4_dq"),
        (json!({"quant_method": "bitsandbytes", "load_in_4bit": true, "load_in_8bit": false}), "nf4"),
        (json!({"quant_method": "bitsandbytes", "load_in_8bit": true}), "int8_channel"),
        (json!({"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}), "fp8_block_128"),
        (json!({"quant_method": "fp8", "activation_scheme": "static"}), "fp8_tensor"),
        (json!({"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0}), "fp8_channel"),
        (json!({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}), "mxfp4_experts"),
        (json!({"quant_method": "modelopt", "quant_algo": "NVFP4"}), "nvfp4"),
        (
            json!({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
                "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128, "symmetric": true}}}}),
            "gptq_4_128",
        ),
        (
            json!({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
                "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}}}),
            "fp8_channel",
        ),
    ];
    for (quantised, format) in cases {
        let imported = ledger::import(&llama(&[("quantization_config", quantised.clone())])).expect("a known family");
        assert_eq!(imported.model, read(&llama(&[])), "{quantised}: the shapes are those of the plain model");
        assert_eq!(imported.stored.and_then(|stored| stored.format), format.parse().ok(), "{quantised}");
    }
    // Known by name, not priced; and of a multimodal file, said for the whole.
    let inner: Value = serde_json::from_str(&llama(&[])).expect("written above");
    let whole = json!({"model_type": "llava", "text_config": inner, "quantization_config": {"quant_method": "aqlm"}});
    let stored = ledger::import(&whole.to_string()).expect("a known family").stored.expect("said");
    assert_eq!((stored.method.as_str(), stored.format), ("aqlm", None));
    assert_eq!(ledger::import(&llama(&[])).expect("a known family").stored, None);
    let wrong = [
        (json!(4), "/quantization_config"),
        (json!({}), "/quantization_config/quant_method"),
        (json!({"quant_method": "gptq", "bits": "4"}), "/quantization_config/bits"),
        (json!({"quant_method": "gptq", "group_size": 0}), "/quantization_config/group_size"),
        (json!({"quant_method": "gptq", "group_size": 1e308}), "/quantization_config/group_size"),
        (json!({"quant_method": "fp8", "weight_block_size": [128]}), "/quantization_config/weight_block_size"),
        (json!({"quant_method": "fp8", "weight_block_size": [0, -1]}), "/quantization_config/weight_block_size"),
    ];
    for (quantised, pointer) in wrong {
        let error = import_config(&llama(&[("quantization_config", quantised)])).expect_err(pointer);
        assert_eq!(error.pointer(), pointer);
    }
}
