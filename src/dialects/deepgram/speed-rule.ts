// The speeds that /v2/speak has: 0.5 to 1.5 in steps of 0.05. The same rule holds at the upgrade and for Configure.

export type SpeedFault = 'SPEED_OUT_OF_RANGE' | 'SPEED_INCREMENT_INVALID';

const SLOWEST = 0.5;
const FASTEST = 1.5;
const STEPS_PER_UNIT = 20;
/** 1.15 × 20 is no whole number in binary. */
const ROUNDING = 1e-6;

export function speedFault(speed: number): SpeedFault | undefined {
  if (speed < SLOWEST || speed > FASTEST) return 'SPEED_OUT_OF_RANGE';
  const steps = speed * STEPS_PER_UNIT;
  return Math.abs(steps - Math.round(steps)) > ROUNDING ? 'SPEED_INCREMENT_INVALID' : undefined;
}

export const SPEED_RULE = 'must be a number from 0.5 to 1.5, in steps of 0.05';
