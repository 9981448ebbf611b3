//! Blocks of the cache: a table worked by hand, and the laws of counting references.

use ledger::{
    inference::{block_waste, shared_blocks},
    paging::{Act, Change, PagingError, Pool, PoolView, Story},
};
use proptest::prelude::*;

/// References and filled slots of the blocks in use, by number.
fn used(view: &PoolView) -> Vec<(u32, u32, u64)> {
    let blocks = view.blocks.iter().enumerate().filter(|(_, block)| block.references > 0);
    blocks.map(|(number, block)| (number as u32, block.references, block.filled)).collect()
}

fn tables(view: &PoolView) -> Vec<Vec<u32>> {
    view.living().map(|(_, sequence)| sequence.table.clone()).collect()
}

/// Two samples of one prompt of 7 tokens in blocks of 4: figures 6 and 8 of the paper.
#[test]
fn two_samples_of_one_prompt() {
    let story = Story { block: 4, prefix: 7, prompts: vec![7, 7], decode: 3 };
    let mut told: Vec<(Act, PoolView, Vec<Change>)> = Vec::new();
    story.tell(|act, pool, changes| told.push((*act, pool.view(), changes.to_vec()))).expect("a story");
    let acts: Vec<Act> = told.iter().map(|(act, ..)| *act).collect();
    let ends = [Act::End { sequence: 0 }, Act::End { sequence: 1 }];
    let begin = [Act::Start { sequence: 0, tokens: 7 }, Act::Fork { sequence: 1 }];
    assert_eq!(acts, [&begin[..], &[Act::Decode; 3], &ends].concat());
    let taken = |sequence, block| Change::Taken { sequence, block };
    // The prompt: a full block, and 3 of 4 slots.
    assert_eq!((used(&told[0].1), tables(&told[0].1)), (vec![(0, 1, 4), (1, 1, 3)], vec![vec![0, 1]]));
    assert_eq!(told[0].2, [taken(0, 0), taken(0, 1)]);
    // The second sample names the same blocks.
    assert_eq!((used(&told[1].1), tables(&told[1].1)), (vec![(0, 2, 4), (1, 2, 3)], vec![vec![0, 1]; 2]));
    assert_eq!((told[1].1.shared(), told[1].1.tokens(), told[1].1.empty()), (8, 14, 1));
    // The first write copies; then the original has one reference, and the second sample writes in place.
    assert_eq!(told[2].2, [Change::Copied { sequence: 0, from: 1, to: 2 }]);
    assert_eq!(used(&told[2].1), [(0, 2, 4), (1, 1, 4), (2, 1, 4)]);
    assert_eq!(tables(&told[2].1), [vec![0, 2], vec![0, 1]]);
    // Both last blocks are full: a block each.
    assert_eq!(told[3].2, [taken(0, 3), taken(1, 4)]);
    assert_eq!(used(&told[4].1), [(0, 2, 4), (1, 1, 4), (2, 1, 4), (3, 1, 2), (4, 1, 2)]);
    let view = &told[4].1;
    assert_eq!((view.used(), view.named(), view.held(), view.empty(), view.shared()), (5, 6, 20, 4, 4));
    assert_eq!((view.tokens(), view.reserved(2048)), (20, 4096));
    // The first one's own blocks return, its last first; the shared block stays until the second one ends.
    assert_eq!(told[5].2, [Change::Returned { block: 3 }, Change::Returned { block: 2 }]);
    assert_eq!(used(&told[5].1), [(0, 1, 4), (1, 1, 4), (4, 1, 2)]);
    assert_eq!((told[6].1.used(), told[6].1.living().count()), (0, 0));
}

#[test]
fn a_prefix_of_whole_blocks_is_never_copied() {
    let story = Story { block: 16, prefix: 800, prompts: vec![1000; 8], decode: 0 };
    let mut most = 0;
    let mut copies = 0;
    story
        .tell(|_, pool, changes| {
            most = most.max(pool.view().used());
            copies += changes.iter().filter(|change| matches!(change, Change::Copied { .. })).count();
        })
        .expect("a story");
    assert_eq!((most, copies), (shared_blocks(800, 1000, 8, 16).expect("a count"), 0));
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_changes() {
    let mut pool = Pool::new(4, 3).expect("a pool");
    let a = pool.start().expect("a sequence");
    assert_eq!(pool.append(a, 13), Err(PagingError::NoBlocks { needed: 4, free: 3 }));
    assert_eq!((pool.table(a), pool.free_blocks()), (Some(&[][..]), 3));
    pool.append(a, 10).expect("three blocks");
    let b = pool.fork(a).expect("shared");
    assert_eq!(pool.append(b, 1), Err(PagingError::NoBlocks { needed: 1, free: 0 }), "no room for a copy");
    assert_eq!(pool.append(b, 0), Ok(vec![]), "nothing is written, nothing copied");
    pool.end(a).expect("a lives");
    assert_eq!(pool.end(a), Err(PagingError::NoSequence { sequence: a }));
    assert_eq!(pool.append(b, 2), Ok(vec![]), "the last reference writes in place");
    let story = |block, prefix, prompts: &[u64], decode| Story { block, prefix, prompts: prompts.to_vec(), decode };
    for (story, field) in [
        (story(0, 0, &[1], 0), "block"),
        (story(16, 0, &[], 0), "sequences"),
        (story(16, 0, &[1; 9], 0), "sequences"),
        (story(16, 8, &[7], 0), "prompt"),
        (story(16, 0, &[0], 0), "prompt"),
        (story(16, 0, &[1], 513), "decode"),
        (story(1, 0, &[1 << 20], 0), "blocks"),
    ] {
        let error = story.acts().expect_err(field);
        assert!(matches!(error, PagingError::Range { field: named, .. } if named == field), "{field}: {error}");
    }
}

#[derive(Debug, Clone)]
enum Move {
    Start,
    Append(usize, u64),
    Fork(usize),
    End(usize),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        2 => Just(Move::Start),
        8 => (any::<usize>(), 0u64..40).prop_map(|(at, tokens)| Move::Append(at, tokens)),
        2 => any::<usize>().prop_map(Move::Fork),
        2 => any::<usize>().prop_map(Move::End),
    ];
    prop::collection::vec(one, 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn references_are_counted_and_no_block_is_lost(block in 1u64..20, blocks in 1u64..60, moves in moves()) {
        let mut pool = Pool::new(block, blocks).expect("a pool");
        let mut live = Vec::new();
        for step in moves {
            let before = pool.view();
            let (done, free) = match step {
                Move::Start => (pool.start().map(|number| live.push(number)), pool.free_blocks()),
                _ if live.is_empty() => continue,
                Move::Append(at, tokens) => {
                    let done = pool.append(live[at % live.len()], tokens).map(|_| ());
                    (done, pool.free_blocks())
                }
                Move::Fork(at) => (pool.fork(live[at % live.len()]).map(|number| live.push(number)), pool.free_blocks()),
                Move::End(at) => {
                    let at = at % live.len();
                    (pool.end(live.swap_remove(at)).map(|_| ()), pool.free_blocks())
                }
            };
            let view = pool.view();
            if done.is_err() {
                prop_assert_eq!(&view, &before, "what fails changes nothing");
            }
            prop_assert_eq!(view.used() + free, blocks, "no block is lost");
            for (number, state) in view.blocks.iter().enumerate() {
                let names = view.living().flat_map(|(_, sequence)| &sequence.table).filter(|at| **at as usize == number);
                prop_assert_eq!(names.count(), state.references as usize, "references are table entries");
            }
            let mut waste = 0;
            for (_, sequence) in view.living() {
                prop_assert_eq!(sequence.table.len() as u64, sequence.tokens.div_ceil(block));
                let filled: u64 = sequence.table.iter().map(|at| view.blocks[*at as usize].filled).sum();
                prop_assert_eq!(filled, sequence.tokens, "the slots of a table are its tokens");
                let own = block_waste(sequence.tokens, block).expect("a count");
                prop_assert!(own < block);
                waste += own;
            }
            prop_assert!(view.empty() <= waste, "shared waste is counted once");
        }
    }

    #[test]
    fn a_story_ends_with_an_empty_pool(
        block in 1u64..40,
        prefix in 0u64..100,
        own in prop::collection::vec(1u64..60, 1..8),
        decode in 0u64..40,
    ) {
        let prompts: Vec<u64> = own.iter().map(|own| prefix + own).collect();
        let same = prompts.iter().all(|prompt| *prompt == prompts[0]);
        let story = Story { block, prefix, prompts: prompts.clone(), decode };
        let mut views = Vec::new();
        prop_assert!(story.tell(|_, pool, _| views.push(pool.view())).is_ok(), "the pool is never too small");
        prop_assert_eq!(views.len(), story.acts().expect("acts").len());
        prop_assert_eq!(views.last().map(PoolView::used), Some(0));
        let full = &views[views.len() - 1 - prompts.len()];
        prop_assert_eq!(full.tokens(), prompts.iter().sum::<u64>() + decode * prompts.len() as u64);
        if same {
            let each = prompts[0] + decode;
            let blocks = shared_blocks(prefix, each, prompts.len() as u64, block).expect("a count");
            prop_assert_eq!(full.used(), blocks, "as many as the formula says");
        }
    }
}
