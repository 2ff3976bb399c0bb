//! How many operations of a layer there are for each one of the layer above.

use record::{MeasuringPoint, OperationClass};

use super::{LatencyLayer, LayerRow};

/// Fills in the fan-out of every row: its count over that of the operations that lead to it, in the next layer above that
/// has any.
pub(super) fn fill(layers: &mut [LatencyLayer]) {
    for index in 1..layers.len() {
        let (above, here) = layers.split_at_mut(index);
        let Some(layer) = here.first_mut() else { continue };
        for row in &mut layer.rows {
            row.fan_out = above.iter().rev().find_map(|upper| of(row, layer.point, upper));
        }
    }
}

/// How many of `row`, at `here`, there are for each operation of `upper` that leads to them.
fn of(row: &LayerRow, here: MeasuringPoint, upper: &LatencyLayer) -> Option<f64> {
    let leading = leading_to(row.class?, here, upper.point);
    let sum = |classes: &&[OperationClass]| {
        let of_class = |other: &&LayerRow| other.class.is_some_and(|class| classes.contains(&class));
        let count: u64 =
            upper.rows.iter().filter(of_class).filter_map(|other| other.count).fold(0, u64::saturating_add);
        (count > 0).then_some(count)
    };
    let above = leading.iter().find_map(sum)?;
    Some(row.count? as f64 / above as f64)
}

/// The kinds of operations at `above` that lead to one of `class` at `here`: the first of which there are any. A write
/// through the page cache comes to the block layer with the sync that follows it.
fn leading_to(
    class: OperationClass,
    here: MeasuringPoint,
    above: MeasuringPoint,
) -> &'static [&'static [OperationClass]] {
    use OperationClass::{Discard, Flush, LogSync, LogWrite, Read, Step, Sync, Write};
    let is_request = here >= MeasuringPoint::Block;
    match class {
        Write | LogWrite if above == MeasuringPoint::Block => &[&[Write, LogWrite]],
        Write | LogWrite if is_request => &[&[LogSync, Sync], &[Write, LogWrite], &[Step]],
        Write | LogWrite => &[&[Write, LogWrite], &[Step]],
        LogSync | Sync => &[&[LogSync, Sync], &[Step]],
        Flush if above == MeasuringPoint::Block => &[&[Flush]],
        Flush => &[&[LogSync, Sync], &[Step]],
        Read => &[&[Read], &[Step]],
        Discard => &[&[Discard], &[Step]],
        Step => &[&[Step]],
    }
}
