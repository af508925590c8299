// The instance of a resumable session is gone: another one goes on with it from its journal, as its client comes back.

import { createResumeTokens } from '../../src/access/resume-tokens.ts';
import { takeOver } from '../../src/gateway/sockets/taking-over.ts';
import { defaultSettings } from '../../src/session/turn-settings.ts';
import type { MemoryJournal } from './memory-journal.ts';
import {
  NATIVE_ENTRY,
  openResumableRig,
  type ResumableRig,
  type ResumableRigOptions,
} from './resumable-rig.ts';

export type ElsewhereOptions = Omit<ResumableRigOptions, 'takesOver' | 'journal'> & {
  readonly journal: MemoryJournal;
  /** A speech service that does not say the same again. */
  readonly service?: { readonly ignored: string[] } | undefined;
  /** What the client says that it has received; unless given, what it has. */
  readonly received?: number;
};

export async function goOnElsewhere(
  from: ResumableRig,
  { service, received, ...options }: ElsewhereOptions,
): Promise<ResumableRig> {
  const { client } = from;
  const claim = { ...client.claim(), ...(received !== undefined && { received }) };
  const token = createResumeTokens(['a secret of this test']).read(client.token!.token)!;
  const services = service && { chain: () => [service] as never };
  const back = { token, claim, entry: NATIVE_ENTRY, seen: {} };
  const { journal } = options;
  const session = await takeOver({ journal, runtime: { services }, settings: defaultSettings(200) }, back);
  if (session === undefined) throw new Error('nothing is left');
  return openResumableRig({ ...options, takesOver: { from, session } });
}
