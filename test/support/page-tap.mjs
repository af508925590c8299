// Runs in the page before the playground does, and looks on: what comes over the WebSocket, what goes to the sound card,
// and what each animation frame showed. It changes nothing of it.

const tap = { events: [], frames: [], quanta: [], moves: [], shown: [], context: undefined };
globalThis.tap = tap;

let turn;
globalThis.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') return tap.frames.push({ turn, bytes: new Uint8Array(data.slice(0)) });
      const event = JSON.parse(data);
      if (event.type === 'started') turn = event.turn;
      tap.events.push(event);
    });
  }
};

const addModule = Reflect.get(AudioWorklet.prototype, 'addModule');
AudioWorklet.prototype.addModule = async function (...given) {
  await addModule.apply(this, given);
  await addModule.call(this, '/assets/tap-worklet.js');
};
const connect = Reflect.get(AudioNode.prototype, 'connect');
AudioNode.prototype.connect = function (target, ...given) {
  if (this instanceof AudioWorkletNode && target === this.context.destination) {
    tap.context = this.context;
    this.port.addEventListener('message', ({ data }) => tap.moves.push(data));
    const recorder = new AudioWorkletNode(this.context, 'tap');
    recorder.port.onmessage = ({ data }) => tap.quanta.push(...data);
    connect.call(this, recorder);
    connect.call(recorder, target);
  }
  return connect.call(this, target, ...given);
};

/** Where in the transcript the lit word begins; −1: none is lit. */
function litAt() {
  const region = document.getElementById('transcript');
  const lit = region?.querySelectorAll('.lit') ?? [];
  if (lit.length === 0) return -1;
  if (lit.length > 1) return -2;
  const range = document.createRange();
  range.setStart(region, 0);
  range.setEndBefore(lit[0]);
  return range.toString().length;
}
const soundSeconds = () => {
  const { context } = tap;
  return context === undefined ? -1 : context.currentTime - context.outputLatency;
};
const { requestAnimationFrame: request } = globalThis;
globalThis.requestAnimationFrame = (task) =>
  request((time) => {
    const beforeSeconds = soundSeconds();
    task(time);
    const position = document.getElementById('position');
    tap.shown.push({
      ms: Number(position.dataset.ms),
      lit: litAt(),
      beforeSeconds,
      afterSeconds: soundSeconds(),
    });
  });

const base64 = (bytes) => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
};
/** Every binary frame of `id`, one after the other. */
tap.sent = (id) => {
  const frames = tap.frames.filter((frame) => frame.turn === id).map(({ bytes }) => [...bytes]);
  return base64(Uint8Array.from(frames.flat()));
};
/**
 * What was rendered, from `frame` of the audio context on: 32-bit floats as this machine has them. On a machine that is
 * late the browser leaves some quanta of the recorder out; they are NaN.
 */
tap.played = () => {
  const first = tap.quanta[0].frame;
  const last = tap.quanta.at(-1);
  const samples = new Float32Array(last.frame - first + last.samples.length).fill(NaN);
  for (const quantum of tap.quanta) samples.set(quantum.samples, quantum.frame - first);
  return { frame: first, base64: base64(new Uint8Array(samples.buffer)) };
};
