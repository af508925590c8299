// What requantising needs (ISO 11172-3 2.4.3.4.7): the 4/3 powers of all values, and quarter powers of two.

/** The greatest value: 15 and thirteen linear bits. */
const MOST: u32 = 15 + 8191;
/** From 2^(−88) to 2^12. */
const LEAST_QUARTER: i32 = -352;
const MOST_QUARTER: i32 = 48;

/** Floats: value^(4/3). */
export const powersAt: usize = memory.data(4 * 8208, 16);
const quartersAt: usize = memory.data(4 * 401, 16);

export function buildPowers(): void {
  for (let value: u32 = 0; value <= MOST; value++)
    store<f32>(powersAt + value * 4, ((value as f64) ** (4.0 / 3.0)) as f32);
  for (let quarter = LEAST_QUARTER; quarter <= MOST_QUARTER; quarter++)
    store<f32>(quartersAt + (quarter - LEAST_QUARTER) * 4, (2 ** ((quarter as f64) / 4)) as f32);
}

/** 2^(quarters / 4). */
export function quarterPower(quarters: i32): f32 {
  return load<f32>(quartersAt + (min(max(quarters, LEAST_QUARTER), MOST_QUARTER) - LEAST_QUARTER) * 4);
}
