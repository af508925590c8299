// What is heard, as it is heard: state, position, waveform, words and the buttons that stop, hold and move the sound.
// While there is something to hear it draws once for each animation frame, all of it by one position of the sound.

import { createCaptionLine } from '../caption-line.ts';
import type { Conversation } from '../conversation.ts';
import { asSentence } from '../spoken-sentences.ts';
import { heardMs, isOver, type SpokenTurn } from '../spoken-turn.ts';
import { createCaptionLog } from './caption-log.ts';
import { pageElement, setText } from './page-element.ts';
import { createTranscriptView } from './transcript-view.ts';
import { createTurnView, type TurnView } from './turn-view.ts';
import { createWaveView } from './wave-view.ts';

export type Stage = {
  /** Something has changed: draws, and goes on as long as there is something to hear. */
  update(): void;
  /** Brings the words into sight where they lie below the window, as on a phone. */
  reveal(): void;
  readonly turnView: TurnView;
};

export type StageOptions = {
  readonly conversation: () => Conversation;
  readonly canNarrate: boolean;
  /** For a screen reader, once for each state. */
  readonly tell: (text: string) => void;
  /** A turn is over. */
  readonly onOver: (turn: SpokenTurn) => void;
  /** There is something to hear, or no more. */
  readonly onBusy: (is: 'busy' | 'idle') => void;
};

const CREDIT_EVERY_MS = 40;
/** Words that begin further down than this part of the window are out of sight. */
const MAX_WORDS_AT = 0.8;

const clockTime = (ms: number) => {
  const tenths = Math.floor(ms / 100);
  return `${Math.floor(tenths / 600)}:${String(Math.floor(tenths / 10) % 60).padStart(2, '0')}.${tenths % 10}`;
};

function stateOf(turn: SpokenTurn | undefined): string {
  if (turn === undefined) return 'Ready';
  if (turn.isCut) return 'Interrupted';
  if (isOver(turn)) return turn.timeline.outcome === 'failed' ? 'Failed' : 'Heard to the end';
  if (turn.isHeld) return 'Paused';
  if (turn.output !== undefined) return 'Speaking';
  return turn.timeline.marks.some(({ name }) => name === 'queued') ? 'Queued' : 'Asking for speech';
}

/** What a screen reader is told of a state; undefined: nothing. */
function spokenState(state: string, turn: SpokenTurn | undefined): string | undefined {
  if (state === 'Ready' || state === 'Asking for speech') return undefined;
  const heard = turn?.timeline.heard;
  if (state !== 'Interrupted') return state;
  if (heard === undefined) return undefined;
  const [said, left] = [heard.spokenText, heard.remainingText].map((text) =>
    asSentence(text.trim() || 'nothing'),
  );
  return `Interrupted. Heard: ${said} Not heard: ${left}`;
}

export function createStage({ conversation, canNarrate, tell, onOver, onBusy }: StageOptions): Stage {
  const state = pageElement('state', HTMLElement);
  const position = pageElement('position', HTMLOutputElement);
  const lead = pageElement('lead', HTMLOutputElement);
  const interrupt = pageElement('interrupt', HTMLButtonElement);
  const pause = pageElement('pause', HTMLButtonElement);
  const paragraphs = pageElement('paragraphs', HTMLElement);
  const paragraph = pageElement('paragraph-number', HTMLElement);
  const wave = createWaveView(pageElement('wave', HTMLCanvasElement));
  const words = pageElement('transcript', HTMLElement);
  const transcript = createTranscriptView(words);
  const captions = createCaptionLog(pageElement('captions', HTMLElement));
  const transport = pageElement('transport', HTMLElement);
  const captionLine = pageElement('caption-line', HTMLElement);
  let shortCaptions = createCaptionLine();
  let captioned: SpokenTurn | undefined;
  const turnView = createTurnView();
  let frame: number | undefined;
  let credit: ReturnType<typeof setInterval> | undefined;
  let told = '';
  let over: SpokenTurn | undefined;

  function showState(turn: SpokenTurn | undefined): void {
    const now = stateOf(turn);
    if (state.textContent !== now) state.textContent = now;
    const said = spokenState(now, turn);
    if (said === undefined || `${turn?.id} ${said}` === told) return;
    told = `${turn?.id} ${said}`;
    tell(said);
  }

  function showTransport(turn: SpokenTurn | undefined): void {
    const { isBusy } = conversation();
    const busy = isBusy ? 'busy' : 'idle';
    if (interrupt.disabled === isBusy || transport.dataset.state === undefined) {
      interrupt.disabled = !isBusy;
      transport.dataset.state = busy;
      onBusy(busy);
    }
    pause.hidden = !canNarrate || !isBusy || turn?.output === undefined;
    pause.textContent = turn?.isHeld === true ? 'Resume' : 'Pause';
    const many = turn?.paragraphs ?? 0;
    paragraphs.hidden = pause.hidden || many < 2;
    setText(paragraph, `${(turn?.paragraph ?? 0) + 1} of ${many}`);
    // A focused button that is disabled or hidden takes the keyboard's place on the page with it.
    const focused = document.activeElement;
    if (focused !== null && transport.contains(focused))
      if (focused.matches(':disabled') || focused.closest('[hidden]') !== null) words.focus();
  }

  function draw(): void {
    const { current: turn, peaks } = conversation();
    if (turn !== undefined) {
      transcript.show(turn);
      turnView.show(turn.timeline);
      const { output, startSample } = turn;
      const ms = heardMs(turn);
      const moment = isOver(turn) ? { begun: turn.track.words.length, lit: undefined } : turn.track.at(ms);
      transcript.light(moment);
      captions.show(turn, moment.begun);
      if (captioned !== turn) {
        captioned = turn;
        shortCaptions = createCaptionLine();
      }
      setText(captionLine, shortCaptions.at(turn.lines, turn.track.words, moment.begun));
      position.textContent = clockTime(ms);
      position.dataset.ms = String(ms);
      if (output !== undefined && peaks !== undefined) {
        const { sampleRate, received } = output;
        // What the sound card still holds of a turn that was cut is not waiting any more.
        const played = isOver(turn) ? Math.max(output.played(), turn.endSample ?? 0) : output.played();
        wave.draw({ peaks, sampleRate, played, received, startSample });
        lead.textContent = `${Math.round(((received - played) * 1000) / sampleRate)} ms ahead`;
      }
      if (isOver(turn) && over !== turn) {
        over = turn;
        onOver(turn);
      }
    }
    showState(turn);
    showTransport(turn);
  }

  function animate(): void {
    frame = undefined;
    draw();
    keepGoing();
  }

  function keepGoing(): void {
    const { isBusy } = conversation();
    if (isBusy && frame === undefined) frame = requestAnimationFrame(animate);
    // Credit is due in a hidden page, too, which gets no animation frames.
    if (isBusy) credit ??= setInterval(() => conversation().tick(), CREDIT_EVERY_MS);
    else {
      clearInterval(credit);
      credit = undefined;
    }
  }

  wave.draw(undefined);
  return {
    turnView,
    reveal() {
      if (words.getBoundingClientRect().top < innerHeight * MAX_WORDS_AT) return;
      const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      words.closest('.stage')!.scrollIntoView({ block: 'start', behavior: isCalm ? 'auto' : 'smooth' });
    },
    update() {
      // While frames are drawn anyway, nothing is drawn between them.
      if (frame === undefined) draw();
      keepGoing();
    },
  };
}
