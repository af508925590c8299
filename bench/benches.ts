// Every bench by the name that the command knows it by, in the order in which `all` runs them.

import { admission } from './admission.ts';
import { bargeInContexts } from './barge-in-contexts.ts';
import type { Bench } from './bench.ts';
import { besideRelay } from './beside-relay.ts';
import { cancel } from './cancel.ts';
import { capacity } from './capacity.ts';
import { captions } from './captions.ts';
import { endings } from './endings.ts';
import { firstFrame } from './first-frame.ts';
import { growth } from './growth.ts';
import { hoard } from './hoard.ts';
import { hostile } from './hostile.ts';
import { interruptions } from './interruptions.ts';
import { job } from './job.ts';
import { phrase } from './lab/phrase.ts';
import { legs } from './legs.ts';
import { limitedKeys } from './limited-keys.ts';
import { mixedFormats } from './mixed-formats.ts';
import { narration } from './narration.ts';
import { onlookers } from './onlookers.ts';
import { overload } from './overload.ts';
import { pacing } from './pacing.ts';
import { peers } from './peers.ts';
import { processes } from './processes.ts';
import { quota } from './quota.ts';
import { received } from './received.ts';
import { resumable } from './resumable.ts';
import { slices } from './slices.ts';
import { soak } from './soak.ts';
import { stalledReader } from './stalled-reader.ts';
import { transcode } from './transcode.ts';

export const BENCHES: Readonly<Record<string, Bench>> = {
  'first-frame': firstFrame,
  pacing,
  capacity,
  processes,
  overload,
  'mixed-formats': mixedFormats,
  captions,
  endings,
  received,
  onlookers,
  resumable,
  legs,
  transcode,
  peers,
  'beside-relay': besideRelay,
  cancel,
  interruptions,
  'barge-in-contexts': bargeInContexts,
  'stalled-reader': stalledReader,
  admission,
  phrase,
  job,
  narration,
  growth,
  hostile,
  'limited-keys': limitedKeys,
  hoard,
  slices,
  quota,
  soak,
};
