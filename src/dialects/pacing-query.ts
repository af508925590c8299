// What a caller of another service's protocol says for which that protocol has no words, in the query: at what pace audio is sent, and
// which speech services may speak. Everything else of the query is that protocol's own.

import { z } from 'zod';
import { checkFields, fieldError } from '../base/check-fields.ts';
import {
  lastResortField,
  lastResortTextField,
  preferField,
  type ServiceWishes,
  upstreamField,
} from '../speech/upstream-names.ts';
import { configureFields, type Preset } from './native-messages.ts';

const OURS = 'voxgate_';
const PACE = 'voxgate_pace';
const LEAD_MS = 'voxgate_lead_ms';
const choiceSchema = z.object({
  voxgate_upstream: upstreamField.optional(),
  voxgate_prefer: preferField.optional(),
  voxgate_last_resort: lastResortField.optional(),
  voxgate_last_resort_text: lastResortTextField.optional(),
});
const CHOICE = Object.keys(choiceSchema.shape);
const KNOWN = [PACE, LEAD_MS, ...CHOICE];

const wrong = (field: string, allowed: string, given: string) =>
  fieldError({ field, allowed: `must be ${allowed}`, given });

/** Throws `invalid_request` naming the parameter. */
export function readChoice(query: URLSearchParams): ServiceWishes {
  const given = Object.fromEntries(
    CHOICE.flatMap((name) => {
      const value = query.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const read = checkFields(choiceSchema, given, 'query');
  const {
    voxgate_upstream: upstream,
    voxgate_prefer: prefer,
    voxgate_last_resort: lastResort,
    voxgate_last_resort_text: lastResortText,
  } = read;
  return {
    ...(upstream && { upstream }),
    ...(prefer && { prefer }),
    ...(lastResort && { lastResort }),
    ...(lastResortText && { lastResortText }),
  };
}

/** Throws `invalid_request` naming the parameter. */
export function readPacing(query: URLSearchParams): Pick<Preset, 'pace' | 'leadMs'> & ServiceWishes {
  for (const name of query.keys())
    if (name.startsWith(OURS) && !KNOWN.includes(name))
      throw fieldError({
        field: name.slice(0, 80),
        allowed: `is no parameter here; there are ${KNOWN.join(', ')}`,
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
  return { ...pacing, ...readChoice(query) };
}
