// How a caller of another service's protocol says at what pace audio is sent, for which that protocol has no words:
// `voxgate_pace` and `voxgate_lead_ms` in the query. Everything else of the query is that protocol's own.

import { fieldError } from '../base/check-fields.ts';
import { configureFields, type Preset } from './native-messages.ts';

const OURS = 'voxgate_';
const PACE = 'voxgate_pace';
const LEAD_MS = 'voxgate_lead_ms';

const wrong = (field: string, allowed: string, given: string) =>
  fieldError({ field, allowed: `must be ${allowed}`, given });

/** Throws `invalid_request` naming the parameter. */
export function readPacing(query: URLSearchParams): Pick<Preset, 'pace' | 'leadMs'> {
  for (const name of query.keys())
    if (name.startsWith(OURS) && name !== PACE && name !== LEAD_MS)
      throw fieldError({
        field: name.slice(0, 80),
        allowed: `is no parameter here; there are ${PACE} and ${LEAD_MS}`,
      });
  const pacing: Pick<Preset, 'pace' | 'leadMs'> = {};
  const [pace, leadMs] = [query.get(PACE), query.get(LEAD_MS)];
  if (pace !== null) {
    const read = configureFields.pace.safeParse(pace);
    if (!read.success) throw wrong(PACE, 'realtime or burst', pace);
    pacing.pace = read.data;
  }
  if (leadMs !== null) {
    const read = configureFields.leadMs.safeParse(leadMs.trim() === '' ? Number.NaN : Number(leadMs));
    if (!read.success) throw wrong(LEAD_MS, 'a number from 40 to 5000', leadMs);
    pacing.leadMs = read.data;
  }
  return pacing;
}
