// Messages to a thread, those of one turn of the event loop as one: posting costs far more than what a small message holds.

export type GatheredPosts<Message> = {
  /** `moved`: memory that changes hands with it. */
  tell(message: Message, moved?: readonly ArrayBuffer[]): void;
  /** Posts what has been gathered, now. */
  readonly flush: () => void;
};

export function createGatheredPosts<Message>(
  soon: (task: () => void) => void,
  post: (messages: readonly Message[], moved: ArrayBuffer[]) => void,
): GatheredPosts<Message> {
  let messages: Message[] = [];
  let moving: ArrayBuffer[] = [];
  const flush = () => {
    if (messages.length === 0) return;
    const [told, moved] = [messages, moving];
    messages = [];
    moving = [];
    post(told, moved);
  };
  return {
    tell(message, moved = []) {
      if (messages.length === 0) soon(flush);
      messages.push(message);
      moving.push(...moved);
    },
    flush,
  };
}
