// The way of a spool's items to the thread that times them, in simulated time: gathered and sent as the gateway's other
// end of that thread does it, at most one message under way, and each of them taking as long as the next one to gather.

/** As the gateway gathers: in the first second of a request, and later. */
const FIRST_MS = 1000;
const FIRST_GATHER_MS = 50;
const GATHER_MS = 250;

const frameMs = (item) =>
  item.kind === 'frame' ? (item.frame.header.samplesPerFrame * 1000) / item.frame.header.sampleRate : 0;

/** `deliver(items)` is called when a message has been worked on; `speedFactor` is how fast the audio comes. */
export function createTimingMessages(speedFactor, deliver) {
  let held = [];
  let heldMs = 0;
  let sentMs = 0;
  const underWay = [];

  const gatherMs = () => (sentMs < FIRST_MS ? FIRST_GATHER_MS : GATHER_MS);
  const send = (nowMs) => {
    if (held.length === 0) return;
    const fromMs = underWay.at(-1)?.dueMs ?? nowMs;
    underWay.push({ items: held, dueMs: fromMs + gatherMs() / speedFactor });
    sentMs += heldMs;
    held = [];
    heldMs = 0;
  };
  const sendSome = (nowMs) => {
    if (underWay.length === 0 && heldMs >= gatherMs()) send(nowMs);
  };

  return {
    add(item, nowMs) {
      held.push(item);
      heldMs += frameMs(item);
      if (item.kind === 'end') send(nowMs);
      else sendSome(nowMs);
    },
    pass(nowMs) {
      while (underWay.length > 0 && underWay[0].dueMs <= nowMs) {
        const { items, dueMs } = underWay.shift();
        deliver(items);
        sendSome(dueMs);
      }
    },
  };
}
