// A client comes back and the instance that had its session is gone: the session goes on here, from its journal.

import { tokenReplaced } from '../../access/resume-tokens.ts';
import { toAppError } from '../../base/app-error.ts';
import type { ServingService } from '../../pipeline/speech-services.ts';
import { agentSettings, type SessionAgent } from '../../session/session-agent.ts';
import type { SessionRuntime } from '../../session/session-runtime.ts';
import { applySettings, type TurnSettings } from '../../session/turn-settings.ts';
import type { ClaimedJournal, SessionJournal } from '../journal/journal-writer.ts';
import { planReturn } from '../journal/return-plan.ts';
import { type JournalOpening, type JournalState, turnOf } from '../journal/session-journal.ts';
import type { Return } from './admit-upgrade.ts';
import type { TakenOver } from './resumption.ts';

/** A session as it is to be built again. */
export type SessionToTakeOver = {
  readonly session: string;
  readonly takenOver: TakenOver;
  readonly hold: ClaimedJournal['hold'];
  readonly settings: TurnSettings;
  readonly agent: SessionAgent | undefined;
};

export type TakingOverOptions = {
  readonly journal: Pick<SessionJournal, 'claim'>;
  readonly runtime: Pick<SessionRuntime, 'services'>;
  /** What a session begins with. */
  readonly settings: TurnSettings;
};

/** While it is built again: what another instance has taken is taken. */
export const UNBOUNDED = {
  textChars: Number.POSITIVE_INFINITY,
  pendingTextChars: Number.POSITIVE_INFINITY,
  textBytes: Number.POSITIVE_INFINITY,
  turnsInFlight: Number.POSITIVE_INFINITY,
};

/** With what its first turn would be spoken. Throws as `applySettings`. */
function settingsOf({ userId, preset, profile }: JournalOpening, gateway: TurnSettings): TurnSettings {
  const own = { ...gateway, tenant: userId };
  return applySettings(profile === undefined ? own : agentSettings(own, profile), preset);
}

/** Those of a turn that goes on; where it is not known yet, those of the session. */
function settingsOfTurn(state: JournalState, turn: string | undefined, settings: TurnSettings): TurnSettings {
  let current = settings;
  for (const { command } of state.commands) {
    if (command.type === 'configure') {
      const { type: _type, ...fields } = command;
      current = applySettings(current, fields);
    } else if ((command.type === 'speak' || command.type === 'append') && turnOf(command) === turn) {
      const { upstream, prefer, voice } = command;
      return applySettings(current, { upstream, prefer, voice });
    }
  }
  return current;
}

/** Whether the service that is asked first says the same again for the same seed. */
function manner(
  { services }: Pick<SessionRuntime, 'services'>,
  settings: TurnSettings,
): 'repeats' | 'varies' {
  if (services === undefined) return 'repeats';
  const { tenant, upstream, prefer, synthesis } = settings;
  const { voice, voice2 } = synthesis;
  const first: ServingService = services.chain({ tenant, upstream, prefer, voice, voice2 })[0];
  return first.seeds === 'best-effort' || first.ignored.includes('seed') ? 'varies' : 'repeats';
}

/**
 * Claims the journal of the session of `back`; undefined: nothing is left of it. Rejects with `busy` when that cannot be told,
 * `unauthorized` for a token that has been replaced.
 */
export async function takeOver(
  { journal, runtime, settings: gateway }: TakingOverOptions,
  { token, claim }: Return,
): Promise<SessionToTakeOver | undefined> {
  const claimed = await journal.claim(token.session, (state) => {
    if (token.number < state.token || token.userId !== state.opening.userId) throw tokenReplaced();
  });
  if (claimed === undefined) return undefined;
  const { state, hold } = claimed;
  const { profile } = state.opening;
  try {
    const settings = settingsOf(state.opening, gateway);
    const service = manner(runtime, settingsOfTurn(state, claim.turn, settings));
    const plan = planReturn(state, claim, service);
    const agent = profile === undefined ? undefined : { profile, used: () => {} };
    return {
      session: token.session,
      takenOver: { state, claim, plan, token: token.number },
      hold,
      settings,
      agent,
    };
  } catch (thrown) {
    hold.drop();
    throw toAppError(thrown);
  }
}
