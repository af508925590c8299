import { expect, it } from 'vitest';
import { leastLeaveOf, leaveOf, leavesLessAtMs } from '../../../src/upstream/quota/quota-reserve.ts';
import { WORK_CLASSES, type WorkClass } from '../../../src/upstream/speech-work.ts';

const work = (of: WorkClass, deadlineMs = 10_000) => ({ class: of, tenant: '', deadlineMs });

it('leaves the more the less a class matters', () => {
  expect(WORK_CLASSES.map((of) => leaveOf(work(of), 0))).toEqual([0, 0, 0.1, 0.2, 0.3]);
});

it('leaves less for a playing turn that is about to run dry, and for nothing else', () => {
  expect([7_499, 7_500, 99_999].map((nowMs) => leaveOf(work('next'), nowMs))).toEqual([0.1, 0.02, 0.02]);
  expect(leavesLessAtMs(work('next'), 7_500)).toBe(Number.POSITIVE_INFINITY);
  expect([0, 9_999, 99_999].map((nowMs) => leaveOf(work('batch'), nowMs))).toEqual([0.3, 0.3, 0.3]);
  expect(WORK_CLASSES.map((of) => leavesLessAtMs(work(of), 0))).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    7_500,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);
});

it('knows the least that a class ever leaves', () => {
  expect(WORK_CLASSES.map(leastLeaveOf)).toEqual([0, 0, 0.02, 0.2, 0.3]);
});
