//! The output head and the loss.

use super::{Drawn, enter, part, pools, saved::micro_batch, total};
use crate::{
    Text,
    calculators::Sheet,
    drill::{
        question::Draft,
        told::Told,
        unit::{about, three},
    },
    random::Random,
    training::{self, Checkpointing, Optimizer, Precision, Training},
    units::KIB,
};

pub(super) fn logits(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::PLAIN)?;
    let Some((batch, seq)) = micro_batch(random, model) else { return Ok(None) };
    let mut told = Told::default();
    let (name, vocab) = (&model.name, told.number("vocab", model.vocab));
    let (sequences, tokens) = (told.number("batch", batch), told.number("seq", seq));
    let workload = Training {
        precision: Precision::PureBf16,
        optimizer: Optimizer::AdamWFused,
        batch,
        seq,
        checkpointing: Checkpointing::EveryLayer,
    };
    let ledger = training::ledger(model, &workload)?;
    let mut sheet = Sheet::default();
    let parts = [
        enter(&mut sheet, part(&ledger.entries, "log_softmax")?),
        enter(&mut sheet, part(&ledger.entries, "loss_temporary")?),
    ];
    total(&mut sheet, ("三份 FP32 logits", "Three times the logits in FP32"), &parts)?;
    sheet.assume(
        "损失在 FP32 中计算，不分块；脚本不保留 16 位 logits",
        "The loss runs in FP32 and not in chunks; the script keeps no 16-bit logits",
    );
    let per_token_kib = (12.0 * model.vocab as f64 / KIB as f64 / 10.0).round() * 10.0;
    let estimate = per_token_kib * KIB as f64 * (batch * seq) as f64;
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "{name} 的词表有 {vocab} 项。微批次 {sequences} × {tokens} 个 token，损失用 FP32 一次算完。损失反向时，保存的 \
                 log-softmax 和两个同样大的临时量一共多大？"
            ),
            format!(
                "{name} has a vocabulary of {vocab}. With a micro-batch of {sequences} × {tokens} tokens and the loss in FP32 \
                 all at once, how large are the saved log-softmax and the two temporaries of its size in the loss's backward?"
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "FP32 logits 每个 token 4 × 词表 字节，损失反向时有三份：词表有 128K 项时，每个 token 就是 1.5 MiB。",
            "FP32 logits take 4 × vocabulary bytes a token, three times over in the backward: 1.5 MiB for a vocabulary of 128K.",
        ),
        estimate,
        formula: format!("{} KiB × {sequences} × {tokens} ≈ {}", three(per_token_kib), about(estimate)),
    }))
}
