// Commands to a session that answers while it is being asked: what comes back for the same turn before it returns is why
// it refused, and not the failure of a speech.

import type { DialectOutlet } from '../dialect.ts';
import type { EventOf } from '../native-events.ts';
import type { ClientCommand } from '../native-messages.ts';

type Refusal = EventOf<'error'>;

export type SessionInquiry = {
  /** Answers with the refusal, which `onRefused` is told in the order of what else comes meanwhile. */
  readonly ask: (command: ClientCommand, onRefused?: (refusal: Refusal) => void) => Refusal | undefined;
  /** False while the session is being asked: nothing else should be, before it has answered. */
  isIdle(): boolean;
  /** Takes a failure that answers the command under way. */
  readonly takes: (event: Refusal) => boolean;
};

export function createSessionInquiry(carryOut: DialectOutlet['carryOut']): SessionInquiry {
  type Asking = {
    readonly turn: string | undefined;
    readonly onRefused: ((refusal: Refusal) => void) | undefined;
    refusal: Refusal | undefined;
  };
  let asking: Asking | undefined;
  return {
    ask(command, onRefused) {
      const mine: Asking = {
        turn: 'turn' in command ? command.turn : undefined,
        onRefused,
        refusal: undefined,
      };
      asking = mine;
      carryOut(command);
      asking = undefined;
      return mine.refusal;
    },
    isIdle: () => asking === undefined,
    takes(event) {
      if (asking === undefined || asking.turn !== event.turn || asking.refusal !== undefined) return false;
      asking.refusal = event;
      asking.onRefused?.(event);
      return true;
    },
  };
}
