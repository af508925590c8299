// What may be told of a fault whose message may hold what is spoken: its kind, never its words.

export const faultKind = (fault: unknown): string => (fault instanceof Error ? fault.name : typeof fault);
