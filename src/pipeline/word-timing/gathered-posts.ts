// Messages to another process, those of one turn of the event loop as one: posting costs far more than what a small message
// holds.

export type GatheredPosts<Message> = {
  tell(message: Message): void;
  /** Posts what has been gathered, now. */
  readonly flush: () => void;
};

export function createGatheredPosts<Message>(
  soon: (task: () => void) => void,
  post: (messages: readonly Message[]) => void,
): GatheredPosts<Message> {
  let messages: Message[] = [];
  const flush = () => {
    if (messages.length === 0) return;
    const told = messages;
    messages = [];
    post(told);
  };
  return {
    tell(message) {
      if (messages.length === 0) soon(flush);
      messages.push(message);
    },
    flush,
  };
}
