// What `voxgate say` shows of a turn: to a person the words as they come and what was heard of it, to a program the messages
// themselves.

import type { EventOf, ServerEvent } from '../../dialects/native-events.ts';
import type { Told } from '../output/beside-result.ts';

/** Messages that say nothing to a reader of lines; the list of words is in its file. */
const UNTOLD: ReadonlySet<ServerEvent['type']> = new Set(['audio', 'pong', 'words']);
/** What fits on a line. */
const SHOWN_CHARACTERS = 100;
const MAX_REST = 400;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** What was heard of a turn, and what not, as a sentence. */
export function heardLine({ playedMs, remainingText }: EventOf<'heard'>): string {
  const rest = remainingText.trim();
  if (rest === '') return `heard: ${seconds(playedMs)}, all of it`;
  const shown = rest.length > MAX_REST ? `${rest.slice(0, MAX_REST)} …` : rest;
  return `heard: ${seconds(playedMs)}; not heard: ${shown}`;
}

/** Who spoke, where somebody did: `, by eleven`. */
const by = ({ servedBy = [] }: EventOf<'ended'>): string => {
  const names = [...new Set(servedBy.map(({ upstream }) => upstream))];
  return names.length === 0 ? '' : `, by ${names.join(', then ')}`;
};

export function createTurnTeller(
  terminal: Pick<Told, 'print' | 'status' | 'complain' | 'tells'>,
): (event: ServerEvent) => void {
  let words = '';
  const show = (event: ServerEvent) => {
    if (event.type === 'queued')
      terminal.status(`waiting (${event.reason}, about ${Math.ceil(event.etaMs / 1000)} s)`);
    else if (event.type === 'started') terminal.status(`first audio after ${event.timings.firstAudioMs} ms`);
    else if (event.type === 'caption') {
      words = `${words} ${event.words.map((word) => word.text).join(' ')}`.slice(-SHOWN_CHARACTERS);
      terminal.status(words.trim());
    } else if (event.type === 'ended') {
      terminal.status('');
      terminal.print(
        `${event.outcome}: ${seconds(event.audioMs)} of audio, ${event.requests} upstream request(s)${by(event)}`,
      );
    } else if (event.type === 'heard') terminal.print(heardLine(event));
  };
  return (event) => {
    if (terminal.tells === 'people') show(event);
    else if (!UNTOLD.has(event.type)) terminal.print(JSON.stringify(event));
    // Where nobody reads the messages, this is one line that must be read.
    if (event.type === 'error' && terminal.tells !== 'lines')
      terminal.complain(`${event.code}: ${event.message}`);
  };
}
