// One request, as the gateway relays it: its own reading, joining and judging of bodies, its own search for words in the
// sound; only the speech service and the listener are made here.

const NEVER = new AbortController().signal;
const LISTENER_MS = 10_000;

/** `by`: whether speech is held against a local engine, against none (`sound`), or always too late (`late`). */
export function createJudge(program, by) {
  /** Of the text under trial: what the reference speaker says, again and again. */
  const spoken = new Map();
  const speaker = {
    async speak(text, how, onReference, signal) {
      const key = `${how.language} ${how.speed} ${text.text}`;
      if (!spoken.has(key)) {
        spoken.clear();
        const told = [];
        await program.speaker.speak(text, how, (...reference) => told.push(reference), signal);
        spoken.set(key, told);
      }
      for (const reference of spoken.get(key)) onReference(...reference);
    },
  };
  const timer = {
    reference: by === 'sound' ? 'none' : 'there',
    open({ language, speed, wants, onEstimate }) {
      if (by !== 'reference') return undefined;
      const timing = program.createSpeechTiming({
        language,
        speed,
        wants,
        onEstimate,
        decoders: program.decoders,
        speaker,
        voice: { known: { mean: undefined, onsetMs: undefined } },
        onFault(event, cause) {
          throw new Error(event, { cause });
        },
      });
      return {
        request: timing.request,
        tap: {
          add(item) {
            if (item.kind === 'flush' || item.kind === 'pause') return;
            const own = item.kind === 'frame' ? copyOf(item) : item;
            timing.items([own], false);
          },
          takeBack: timing.takeBack,
        },
        ending: (_withinMs, likeness) => timing.ending(likeness),
        settled: timing.settled,
        close: timing.close,
      };
    },
  };

  return {
    newRecovery: () => program.createSpeechRecovery(),
    /** `whole`: at the first request; `doubted`: whole at the second; else the error's code. */
    async relay(speech, turn, { type, bytes }, recovery) {
      const words = new program.SpeechWords({
        timer,
        synthesis: {
          language: speech.language,
          speed: speech.speed,
          voice: speech.voice,
          voice2: speech.voice2,
        },
        defaultVoice: undefined,
        output: { format: 'mulaw', sampleRate: 8000, frameMs: 20 },
        urgency: 'heard-text',
        onEstimate() {},
      });
      const spool = new program.BodySpool({ capacityBytes: () => Number.POSITIVE_INFINITY, tap: words.tap });
      words.request(() => turn.aligned);
      let sent = 0;
      const open = async () => {
        sent += 1;
        return { type, chunks: chunksOf(bytes), queueMs: 0, ttfbMs: 0, attempts: 1 };
      };
      const letters = turn.aligned.text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
      try {
        await program.relayWholeBody(
          {
            request: turn.outgoing,
            letters,
            work: { class: 'first', tenant: '', deadlineMs: 0 },
            upstream: { open },
            spool,
            report: { queued() {}, sent() {}, answered() {}, resumed() {}, arrived() {} },
          },
          {
            clock: program.systemClock,
            decoders: program.decoders,
            recovery: { ...recovery, doubts: { ...recovery.doubts, tryRetry: () => true } },
            remainingMs: () => LISTENER_MS,
            passesThrough: () => false,
            endings: words,
          },
          NEVER,
        );
        return sent === 1 ? 'whole' : 'doubted';
      } catch (error) {
        if (error.code === undefined) throw error;
        return sent === 1 ? 'not-asked-again' : error.code;
      } finally {
        words.close();
      }
    },
  };
}

const copyOf = ({ frame }) => ({ kind: 'frame', frame: { ...frame, bytes: frame.bytes.slice() } });

async function* chunksOf(bytes) {
  for (let at = 0; at < bytes.length; at += 8192) yield bytes.subarray(at, at + 8192);
}
