// A body on its way into a spool, as a turn relays it; what the spool gets goes to `onItem`, as to a live turn's timing.

/** Never in the way: a spool of a turn has room for what is measured here. */
const capacityBytes = () => Number.POSITIVE_INFINITY;

/** MP3 that is decoded for the listener: an encoder's delay is none of what he hears. */
export function openBody(program, onItem) {
  const tap = {
    add: onItem,
    takeBack() {
      throw new Error('nothing is taken back of a body that does not break');
    },
  };
  const relayed = new program.RelayedSpeech({
    spool: new program.BodySpool({ capacityBytes, tap }),
    decoders: program.decoders,
    passesThrough: () => false,
    longestMs: Number.POSITIVE_INFINITY,
  });
  return {
    push: (bytes) => relayed.push(bytes),
    end() {
      relayed.finish();
      relayed.end();
    },
    heardMs: () => relayed.heardMs(),
  };
}
