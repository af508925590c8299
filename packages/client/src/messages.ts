// What a client and the gateway say to each other, and the bodies of its REST side. Made from the gateway's schemas by
// test/client/messages.test.ts (run it with -u); not written by hand.

/** The codes of the gateway (docs/errors.md), and whether the same may succeed later without a change. */
export const ERROR_CODES = {
  invalid_json: false,
  invalid_request: false,
  unknown_type: false,
  unexpected_binary: false,
  payload_too_large: false,
  unsupported: false,
  not_found: false,
  upgrade_required: false,
  method_not_allowed: false,
  unsupported_media_type: false,
  invalid_source: false,
  address_refused: false,
  address_unreachable: true,
  unauthorized: false,
  forbidden: false,
  turn_open: false,
  turn_ended: false,
  unknown_turn: false,
  text_full: true,
  marks_full: true,
  text_too_long: false,
  credit_timeout: false,
  pause_timeout: false,
  cannot_seek: false,
  leg_not_found: true,
  leg_taken: false,
  leg_codec: false,
  leg_gone: false,
  leg_unreachable: true,
  busy: true,
  rate_limited: true,
  connection_limit: true,
  idle_timeout: true,
  slow_reader: true,
  shutting_down: true,
  session_gone: false,
  session_taken: false,
  ended_by_operator: false,
  active_generation: true,
  too_many: true,
  storage_full: false,
  insufficient_storage: true,
  storage_unavailable: true,
  idempotency_conflict: false,
  range_not_satisfiable: false,
  interrupted: true,
  script_failed: true,
  upstream_unreachable: true,
  upstream_timeout: true,
  upstream_rejected: false,
  upstream_unauthorized: false,
  upstream_rate_limited: true,
  upstream_bad_audio: true,
  upstream_broken: true,
  engine_unavailable: true,
  internal: true,
} as const;

export type SessionFormat = "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac";

export type Preset = {
  readonly format?: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac" | undefined;
  readonly sampleRate?: number | undefined;
  readonly frameMs?: number | undefined;
  readonly pace?: "realtime" | "burst" | undefined;
  readonly leadMs?: number | undefined;
  readonly flow?: "clock" | "credit" | undefined;
  readonly audio?: "binary" | "base64" | undefined;
  readonly captions?: "off" | "words" | undefined;
  /** Whether all words of a turn are told once they have been found, after `ended` */
  readonly wordList?: "off" | "final" | undefined;
  readonly markup?: "strip" | "keep" | undefined;
  /** Whether a turn may be played from speech kept of the same request, and be kept itself */
  readonly cache?: "off" | "on" | undefined;
  /** Speech services that may speak, by name and in order of preference; by commas in an address */
  readonly upstream?: string | string[] | undefined;
  /** What decides among speech services: their order, the voice that was asked for, or the soonest audio */
  readonly prefer?: "order" | "voice" | "soonest" | undefined;
  /** Where only the embedded engine at the end of the list is left: it speaks, apologises, or the turn fails */
  readonly lastResort?: "speak" | "apologise" | "fail" | undefined;
  /** What is said instead of the text with lastResort: "apologise" */
  readonly lastResortText?: string | undefined;
  readonly voice?: string | undefined;
  readonly voice2?: string | null | undefined;
  readonly speed?: number | undefined;
  readonly seed?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly turnPrefix?: string | null | undefined;
  readonly turnPrefix2?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly prompt2?: string | null | undefined;
  readonly voiceConditioningSeconds?: number | null | undefined;
  readonly voiceConditioningSeconds2?: number | null | undefined;
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | null | undefined;
};

/** Sets defaults of the session; answered by configured or error */
export type ConfigureCommand = {
  readonly type: "configure";
  readonly format?: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac" | undefined;
  readonly sampleRate?: number | undefined;
  readonly frameMs?: number | undefined;
  readonly pace?: "realtime" | "burst" | undefined;
  readonly leadMs?: number | undefined;
  readonly flow?: "clock" | "credit" | undefined;
  readonly audio?: "binary" | "base64" | undefined;
  readonly captions?: "off" | "words" | undefined;
  /** Whether all words of a turn are told once they have been found, after `ended` */
  readonly wordList?: "off" | "final" | undefined;
  readonly markup?: "strip" | "keep" | undefined;
  /** Whether a turn may be played from speech kept of the same request, and be kept itself */
  readonly cache?: "off" | "on" | undefined;
  /** Speech services that may speak, by name and in order of preference; by commas in an address */
  readonly upstream?: string[] | undefined;
  /** What decides among speech services: their order, the voice that was asked for, or the soonest audio */
  readonly prefer?: "order" | "voice" | "soonest" | undefined;
  /** Where only the embedded engine at the end of the list is left: it speaks, apologises, or the turn fails */
  readonly lastResort?: "speak" | "apologise" | "fail" | undefined;
  /** What is said instead of the text with lastResort: "apologise" */
  readonly lastResortText?: string | undefined;
  readonly voice?: string | undefined;
  readonly voice2?: string | null | undefined;
  readonly speed?: number | undefined;
  readonly seed?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly turnPrefix?: string | null | undefined;
  readonly turnPrefix2?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly prompt2?: string | null | undefined;
  readonly voiceConditioningSeconds?: number | null | undefined;
  readonly voiceConditioningSeconds2?: number | null | undefined;
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | null | undefined;
};

/** A whole turn: one text, or lines of two speakers */
export type SpeakCommand = {
  readonly type: "speak";
  /** Id of a turn, chosen by the client */
  readonly turn: string;
  readonly text?: string | undefined;
  readonly dialogue?: ({
    readonly speaker: 1 | 2;
    readonly text: string;
  })[] | undefined;
  readonly format?: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac" | undefined;
  readonly sampleRate?: number | undefined;
  /** Whether a turn may be played from speech kept of the same request, and be kept itself */
  readonly cache?: "off" | "on" | undefined;
  /** Speech services that may speak, by name and in order of preference; by commas in an address */
  readonly upstream?: string[] | undefined;
  /** What decides among speech services: their order, the voice that was asked for, or the soonest audio */
  readonly prefer?: "order" | "voice" | "soonest" | undefined;
  /** Where only the embedded engine at the end of the list is left: it speaks, apologises, or the turn fails */
  readonly lastResort?: "speak" | "apologise" | "fail" | undefined;
  /** What is said instead of the text with lastResort: "apologise" */
  readonly lastResortText?: string | undefined;
  readonly voice?: string | undefined;
  readonly voice2?: string | null | undefined;
  readonly speed?: number | undefined;
  readonly seed?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly turnPrefix?: string | null | undefined;
  readonly turnPrefix2?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly prompt2?: string | null | undefined;
  readonly voiceConditioningSeconds?: number | null | undefined;
  readonly voiceConditioningSeconds2?: number | null | undefined;
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | null | undefined;
};

/** Text as it is produced, any split; synthesis fields only on the first message of a turn */
export type AppendCommand = {
  readonly type: "append";
  /** Id of a turn, chosen by the client */
  readonly turn: string;
  readonly text: string;
  readonly speaker?: 1 | 2 | undefined;
  readonly format?: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac" | undefined;
  readonly sampleRate?: number | undefined;
  /** Whether a turn may be played from speech kept of the same request, and be kept itself */
  readonly cache?: "off" | "on" | undefined;
  /** Speech services that may speak, by name and in order of preference; by commas in an address */
  readonly upstream?: string[] | undefined;
  /** What decides among speech services: their order, the voice that was asked for, or the soonest audio */
  readonly prefer?: "order" | "voice" | "soonest" | undefined;
  /** Where only the embedded engine at the end of the list is left: it speaks, apologises, or the turn fails */
  readonly lastResort?: "speak" | "apologise" | "fail" | undefined;
  /** What is said instead of the text with lastResort: "apologise" */
  readonly lastResortText?: string | undefined;
  readonly voice?: string | undefined;
  readonly voice2?: string | null | undefined;
  readonly speed?: number | undefined;
  readonly seed?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly turnPrefix?: string | null | undefined;
  readonly turnPrefix2?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly prompt2?: string | null | undefined;
  readonly voiceConditioningSeconds?: number | null | undefined;
  readonly voiceConditioningSeconds2?: number | null | undefined;
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | null | undefined;
};

/** Speak what is there; answered by flushed */
export type FlushCommand = {
  readonly type: "flush";
  /** Id of a turn, chosen by the client */
  readonly turn: string;
};

/** No more text for this turn */
export type EndCommand = {
  readonly type: "end";
  /** Id of a turn, chosen by the client */
  readonly turn: string;
};

/** Barge-in: no audio byte of the turn after its ended; without turn, all turns */
export type CancelCommand = {
  readonly type: "cancel";
  /** Id of a turn, chosen by the client */
  readonly turn?: string | undefined;
  readonly playedMs?: number | undefined;
};

/** Echoed when everything sent before it has been played */
export type MarkCommand = {
  readonly type: "mark";
  /** Id of a turn, chosen by the client */
  readonly turn: string;
  readonly name: string;
};

/** What the listener has heard of the turn, cumulative */
export type PlayedCommand = {
  readonly type: "played";
  /** Id of a turn, chosen by the client */
  readonly turn: string;
  readonly ms: number;
};

/** Nothing more of the turn is sent until resume; answered by paused */
export type PauseCommand = {
  readonly type: "pause";
  /** Id of a turn, chosen by the client */
  readonly turn: string;
  /** Where the listener has stopped; the playback position stays there */
  readonly playedMs?: number | undefined;
};

/** Goes on after a pause; answered by resumed */
export type ResumeCommand = {
  readonly type: "resume";
  /** Id of a turn, chosen by the client */
  readonly turn: string;
};

/** Speaks from another paragraph on; answered by sought */
export type SeekCommand = {
  readonly type: "seek";
  /** Id of a turn, chosen by the client */
  readonly turn: string;
  /** Index from 0: what blank lines part, or a line of a dialogue */
  readonly paragraph: number;
  /** Where the listener has stopped: audio that was not played is dropped, and the new place is heard at once */
  readonly playedMs?: number | undefined;
};

/** Turns named from now on play to a telephony leg; answered by attached or error */
export type AttachCommand = {
  readonly type: "attach";
  readonly leg: {
    readonly callSid?: string | undefined;
    readonly token?: string | undefined;
  };
  readonly inbound?: "drop" | "forward" | undefined;
  /** Whether the audio comes here, too */
  readonly monitor?: boolean | undefined;
};

/** Lets the leg go; answered by detached */
export type DetachCommand = {
  readonly type: "detach";
};

/** Ends the attached call, at once or when that turn has been heard */
export type HangupCommand = {
  readonly type: "hangup";
  /** Id of a turn, chosen by the client */
  readonly after?: string | undefined;
};

/** Lists the voices that there are; answered by voices */
export type VoicesCommand = {
  readonly type: "voices";
};

/** Answered by pong */
export type PingCommand = {
  readonly type: "ping";
  readonly id?: string | undefined;
};

export type ClientCommand =
  | ConfigureCommand
  | SpeakCommand
  | AppendCommand
  | FlushCommand
  | EndCommand
  | CancelCommand
  | MarkCommand
  | PlayedCommand
  | PauseCommand
  | ResumeCommand
  | SeekCommand
  | AttachCommand
  | DetachCommand
  | HangupCommand
  | VoicesCommand
  | PingCommand;

/** First message of a session */
export type ReadyEvent = {
  readonly type: "ready";
  readonly session: string;
  readonly version: string;
  /** Given to a telephony leg, it makes the leg one of this user */
  readonly attachToken: string;
  readonly limits: {
    /** Longest text of one speak or append, in characters */
    readonly text: number;
    /** Most text of one appended turn that may wait to be spoken, in characters */
    readonly pendingText: number;
    /** Most turns named and not yet ended */
    readonly turnsInFlight: number;
    /** Largest message */
    readonly messageBytes: number;
    /** Sustained rate of messages */
    readonly messagesPerSecond: number;
    /** A session without messages or audio is closed after this; 0 is never */
    readonly idleTimeoutMs: number;
  };
  /** Only with resumable=1 */
  readonly resume?: {
    /** Goes on with this session on another connection */
    readonly token: string;
    /** For so long the session is kept for a client that has lost its connection */
    readonly forMs: number;
  } | undefined;
};

/** The configuration in force */
export type ConfiguredEvent = {
  readonly type: "configured";
  readonly format: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac";
  /** Absent for mp3 as the upstream sends it */
  readonly sampleRate?: number | undefined;
  readonly frameMs: number;
  readonly pace: "realtime" | "burst";
  readonly leadMs: number;
  readonly flow: "clock" | "credit";
  readonly audio: "binary" | "base64";
  readonly captions: "off" | "words";
  /** Absent where no list was asked for */
  readonly wordList?: "final" | undefined;
  readonly markup: "strip" | "keep";
  readonly cache: "off" | "on";
  /** Absent where it is not narrowed */
  readonly upstream?: string[] | undefined;
  /** Absent for order */
  readonly prefer?: "voice" | "soonest" | undefined;
  /** Absent for speak */
  readonly lastResort?: "apologise" | "fail" | undefined;
  readonly lastResortText?: string | undefined;
  /** Defaults of a turn, as set */
  readonly synthesis: Readonly<Record<string, unknown>>;
};

/** The turn cannot start now, or, with atMs, waits for quota in the middle */
export type QueuedEvent = {
  readonly type: "queued";
  readonly turn: string;
  readonly reason: "quota" | "busy" | "previous-turn";
  readonly position: number;
  readonly etaMs: number;
  /** Of a turn that has started: media position up to which its audio is there */
  readonly atMs?: number | undefined;
};

/** The next binary frame is audio of this turn */
export type StartedEvent = {
  readonly type: "started";
  readonly turn: string;
  readonly format: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac";
  readonly sampleRate: number;
  readonly seed: number;
  /** What the speech service has sent for it; absent: MP3 */
  readonly received?: {
    readonly format: "mp3" | "wav" | "ogg" | "raw" | "mulaw" | "alaw";
    readonly sampleRate?: number | undefined;
  } | undefined;
  /** The speech service that speaks, as it is configured */
  readonly upstream?: string | undefined;
  /** Fields of the turn that this service cannot do; absent where it does all of them */
  readonly ignored?: string[] | undefined;
  readonly timings: {
    readonly queueMs: number;
    readonly upstreamTtfbMs: number;
    readonly firstAudioMs: number;
  };
};

/** Audio, only with audio: "base64" */
export type AudioEvent = {
  readonly type: "audio";
  readonly turn: string;
  readonly seq: number;
  readonly ms: number;
  /** base64 */
  readonly data: string;
};

/** Words about to be heard; final once sent */
export type CaptionEvent = {
  readonly type: "caption";
  readonly turn: string;
  readonly line: number;
  readonly words: ({
    readonly text: string;
    readonly startMs: number;
    readonly endMs: number;
    readonly speaker?: 1 | 2 | undefined;
    readonly charStart: number;
    readonly charEnd: number;
  })[];
  readonly estimated: boolean;
  /** 19 of 20 of these words begin within so much of startMs; absent while their audio is unheard */
  readonly withinMs?: number | undefined;
};

/** All words of a turn where they were found in the end, after ended; only with wordList: "final" */
export type WordsEvent = {
  readonly type: "words";
  readonly turn: string;
  readonly line: number;
  readonly words: ({
    readonly text: string;
    readonly startMs: number;
    readonly endMs: number;
    readonly speaker?: 1 | 2 | undefined;
    readonly charStart: number;
    readonly charEnd: number;
  })[];
  readonly estimated: boolean;
  /** 19 of 20 of these words begin within so much of startMs; absent while their audio is unheard */
  readonly withinMs?: number | undefined;
  /** Further ones of the same turn follow at once */
  readonly more: boolean;
};

/** All audio asked for before the flush has been sent */
export type FlushedEvent = {
  readonly type: "flushed";
  readonly turn: string;
};

/** Nothing more of the turn is sent until it is resumed */
export type PausedEvent = {
  readonly type: "paused";
  readonly turn: string;
  /** Media position up to which audio has been sent */
  readonly atMs: number;
};

/** The turn goes on */
export type ResumedEvent = {
  readonly type: "resumed";
  readonly turn: string;
  /** Media position from which audio comes */
  readonly atMs: number;
};

/** What was queued has been dropped, and the turn goes on from the paragraph */
export type SoughtEvent = {
  readonly type: "sought";
  readonly turn: string;
  readonly paragraph: number;
  /** Media position from which audio of the paragraph comes; captions told for it are void */
  readonly atMs: number;
};

/** How far a whole text of several paragraphs has been heard */
export type ProgressEvent = {
  readonly type: "progress";
  readonly turn: string;
  readonly paragraph: number;
  readonly paragraphs: number;
  /** Code points from the beginning of the text up to the last word that began */
  readonly spokenCharacters: number;
  readonly characters: number;
};

/** The listener ran dry */
export type UnderrunEvent = {
  readonly type: "underrun";
  readonly turn: string;
  readonly atMs: number;
  readonly gapMs: number;
};

/** Another speech service speaks */
export type SwitchedEvent = {
  readonly type: "switched";
  readonly turn: string;
  /** The speech service that was to speak */
  readonly from: string;
  /** The one that speaks */
  readonly to: string;
  /** Media position from which it does; 0 may come before started */
  readonly atMs: number;
  readonly reason: "access" | "quota" | "unreachable" | "timeout" | "no-speech" | "broken" | "limit" | "late";
};

/** Exactly one per turn; no audio byte of the turn follows */
export type EndedEvent = {
  readonly type: "ended";
  readonly turn: string;
  readonly outcome: "complete" | "cancelled" | "truncated" | "failed";
  /** Audio made */
  readonly audioMs: number;
  /** Audio sent */
  readonly sentMs: number;
  /** Upstream requests */
  readonly requests: number;
  readonly resumes: number;
  /** All of its speech had been kept: no request was made */
  readonly cached: boolean;
  /** Who spoke, in media time of what was sent; voice as that service calls it, absent where it chose */
  readonly servedBy?: ({
    readonly upstream: string;
    readonly voice?: string | undefined;
    readonly fromMs: number;
    readonly toMs: number;
  })[] | undefined;
};

/** Exactly one per started turn, when playing is over or cut */
export type HeardEvent = {
  readonly type: "heard";
  readonly turn: string;
  readonly playedMs: number;
  readonly playedBy: "client" | "mark" | "clock";
  readonly spokenText: string;
  readonly remainingText: string;
  readonly speaker?: 1 | 2 | undefined;
};

/** Everything sent before the mark has been played, or will never be */
export type MarkEvent = {
  readonly type: "mark";
  readonly turn: string;
  readonly name: string;
  readonly outcome: "played" | "cleared";
};

/** Turns named from now on are played to the leg */
export type AttachedEvent = {
  readonly type: "attached";
  readonly leg: string;
  readonly kind: string;
  readonly callSid?: string | undefined;
  readonly format: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac";
  readonly sampleRate: number;
};

/** The leg is no longer this session’s */
export type DetachedEvent = {
  readonly type: "detached";
  readonly leg: string;
  readonly kind: string;
  readonly callSid?: string | undefined;
  readonly reason: string;
};

/** What the caller says */
export type InboundEvent = {
  readonly type: "inbound";
  /** Counts what was dropped, too */
  readonly seq: number;
  readonly ms: number;
  readonly format: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac";
  /** base64 */
  readonly data: string;
};

/** A key that the caller has pressed */
export type DtmfEvent = {
  readonly type: "dtmf";
  readonly digit: string;
};

/** docs/errors.md lists the codes */
export type ErrorEvent = {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
  readonly turn?: string | undefined;
  readonly scope: "turn" | "session";
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
};

/** Answer to voices */
export type VoicesEvent = {
  readonly type: "voices";
  readonly voices: ({
    /** What `voice` is to be */
    readonly id: string;
    readonly name?: string | undefined;
    readonly gender?: string | undefined;
    readonly language?: string | undefined;
    readonly description?: string | undefined;
    /** The speech service that has it, or several by commas */
    readonly upstream?: string | undefined;
  })[];
  /** Further ones follow at once */
  readonly more: boolean;
};

/** Answer to ping */
export type PongEvent = {
  readonly type: "pong";
  readonly id?: string | undefined;
};

/** The gateway is about to stop: no new turn is taken */
export type GoawayEvent = {
  readonly type: "goaway";
  readonly deadlineMs: number;
  /** Only with resumable=1: whether the session can go on elsewhere */
  readonly resume?: boolean | undefined;
};

export type ServerEvent =
  | ReadyEvent
  | ConfiguredEvent
  | QueuedEvent
  | StartedEvent
  | AudioEvent
  | CaptionEvent
  | WordsEvent
  | FlushedEvent
  | PausedEvent
  | ResumedEvent
  | SoughtEvent
  | ProgressEvent
  | UnderrunEvent
  | SwitchedEvent
  | EndedEvent
  | HeardEvent
  | MarkEvent
  | AttachedEvent
  | DetachedEvent
  | InboundEvent
  | DtmfEvent
  | ErrorEvent
  | VoicesEvent
  | PongEvent
  | GoawayEvent;

/** First message on a connection that goes on with a session */
export type SessionResumedEvent = {
  readonly type: "session_resumed";
  readonly session: string;
  /** False where something that was missed is no longer there */
  readonly exact: boolean;
  /** Messages of the client that were taken: it repeats those behind them */
  readonly taken: number;
  /** The turn’s audio begins with a new container, because another instance has made it anew */
  readonly newContainer?: true | undefined;
  readonly resume: {
    /** Goes on with this session on another connection */
    readonly token: string;
    /** For so long the session is kept for a client that has lost its connection */
    readonly forMs: number;
  };
};

/** Only with resumable=1, each second while there is news */
export type AckEvent = {
  readonly type: "ack";
  /** How many messages of the client were taken; no number of this message */
  readonly n: number;
};

export type ConnectionEvent =
  | SessionResumedEvent
  | AckEvent;

export type SpeechFields = {
  readonly voice: string;
  readonly voice2?: string | undefined;
  readonly speed?: number | undefined;
  readonly seed?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly turnPrefix?: string | null | undefined;
  readonly turnPrefix2?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly prompt2?: string | null | undefined;
  readonly voiceConditioningSeconds?: number | null | undefined;
  readonly voiceConditioningSeconds2?: number | null | undefined;
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | null | undefined;
  readonly model: "VoxDialog";
  readonly text: string;
  readonly outputFormat?: "mp3" | "mulaw" | "raw" | "wav" | "ogg" | "flac" | null | undefined;
  readonly sampleRate?: number | undefined;
};

export type JobFields = {
  readonly voice: string;
  readonly voice2?: string | null | undefined;
  readonly speed?: number | undefined;
  readonly seed?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly turnPrefix?: string | null | undefined;
  readonly turnPrefix2?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly prompt2?: string | null | undefined;
  readonly voiceConditioningSeconds?: number | null | undefined;
  readonly voiceConditioningSeconds2?: number | null | undefined;
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | undefined;
  readonly text: string;
  readonly outputFormat?: "mp3" | "mulaw" | "raw" | "wav" | "ogg" | "flac" | null | undefined;
  readonly sampleRate?: number | undefined;
  readonly styleGuidance?: number | null | undefined;
  readonly textGuidance?: number | null | undefined;
  readonly webHookUrl?: string | null | undefined;
  /** Ours: an agent whose profile fills what is absent */
  readonly agent?: string | undefined;
  /** Ours: the title inside the file */
  readonly name?: string | undefined;
  /** Ours: speech services that may speak, by name and in order of preference */
  readonly upstream?: string | string[] | undefined;
  /** What decides among speech services: their order, the voice that was asked for, or the soonest audio */
  readonly prefer?: "order" | "voice" | "soonest" | undefined;
  /** Where only the embedded engine at the end of the list is left: it speaks, apologises, or the turn fails */
  readonly lastResort?: "speak" | "apologise" | "fail" | undefined;
  /** What is said instead of the text with lastResort: "apologise" */
  readonly lastResortText?: string | undefined;
  /** Ours: whether markup is removed before speaking */
  readonly markup?: "keep" | "strip" | undefined;
  /** Vox3.0-mini only */
  readonly quality?: "draft" | "low" | "medium" | "high" | "premium" | undefined;
  /** Vox3.0-mini only */
  readonly voiceGuidance?: number | null | undefined;
  readonly model?: "VoxDialog" | "Vox3.0-mini" | undefined;
};

export type TurboFields = {
  readonly voice: string;
  readonly voice2?: string | null | undefined;
  readonly speed?: number | undefined;
  readonly seed?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly turnPrefix?: string | null | undefined;
  readonly turnPrefix2?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly prompt2?: string | null | undefined;
  readonly voiceConditioningSeconds?: number | null | undefined;
  readonly voiceConditioningSeconds2?: number | null | undefined;
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | undefined;
  readonly text: string;
  readonly outputFormat?: "mp3" | "mulaw" | "raw" | "wav" | "ogg" | "flac" | null | undefined;
  readonly sampleRate?: number | undefined;
  readonly styleGuidance?: number | null | undefined;
  readonly textGuidance?: number | null | undefined;
  readonly webHookUrl?: string | null | undefined;
  /** Ours: an agent whose profile fills what is absent */
  readonly agent?: string | undefined;
  /** Ours: the title inside the file */
  readonly name?: string | undefined;
  /** Ours: speech services that may speak, by name and in order of preference */
  readonly upstream?: string | string[] | undefined;
  /** What decides among speech services: their order, the voice that was asked for, or the soonest audio */
  readonly prefer?: "order" | "voice" | "soonest" | undefined;
  /** Where only the embedded engine at the end of the list is left: it speaks, apologises, or the turn fails */
  readonly lastResort?: "speak" | "apologise" | "fail" | undefined;
  /** What is said instead of the text with lastResort: "apologise" */
  readonly lastResortText?: string | undefined;
  /** Ours: whether markup is removed before speaking */
  readonly markup?: "keep" | "strip" | undefined;
  readonly model?: "VoxDialog-turbo" | undefined;
};

export type PlayNoteFields = {
  /** Exactly one of sourceFile and sourceFileUrl */
  readonly sourceFileUrl?: string | undefined;
  readonly synthesisStyle: "podcast" | "executive-briefing" | "childrens-story" | "debate";
  readonly voice1: string;
  readonly voice1Name: string | null;
  readonly voice1Gender?: "Male" | "Female" | null | undefined;
  readonly voice2?: string | null | undefined;
  readonly voice2Name?: string | null | undefined;
  readonly voice2Gender?: "Male" | "Female" | null | undefined;
  readonly webHookUrl?: string | undefined;
  /** Ours: the title; else that of the source */
  readonly name?: string | undefined;
  /** Ours: else that of the source */
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | undefined;
  /** Ours: speech services that may speak, by name and in order of preference */
  readonly upstream?: string[] | undefined;
  /** What decides among speech services: their order, the voice that was asked for, or the soonest audio */
  readonly prefer?: "order" | "voice" | "soonest" | undefined;
  /** Where only the embedded engine at the end of the list is left: it speaks, apologises, or the turn fails */
  readonly lastResort?: "speak" | "apologise" | "fail" | undefined;
  /** What is said instead of the text with lastResort: "apologise" */
  readonly lastResortText?: string | undefined;
};

export type AgentProfile = {
  readonly name: string;
  readonly voice?: string | undefined;
  readonly voice2?: string | null | undefined;
  readonly speed?: number | undefined;
  readonly temperature?: number | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly prompt2?: string | null | undefined;
  readonly voiceConditioningSeconds?: number | null | undefined;
  readonly voiceConditioningSeconds2?: number | null | undefined;
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | null | undefined;
  /** Speech services that may speak, by name and in order of preference */
  readonly upstream?: string | string[] | null | undefined;
  readonly prefer?: "order" | "voice" | "soonest" | null | undefined;
  readonly lastResort?: "speak" | "apologise" | "fail" | null | undefined;
  readonly lastResortText?: string | null | undefined;
  readonly format?: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac" | null | undefined;
  readonly sampleRate?: number | null | undefined;
  /** Short names for voices: what a session calls a voice, and its URI */
  readonly aliases?: Readonly<Record<string, string>> | null | undefined;
  readonly pronunciations?: {
    readonly written: string;
    readonly spoken: string;
  }[] | null | undefined;
  /** Spoken when a session begins, as turn "greeting" */
  readonly greeting?: string | null | undefined;
};

export type ListedVoice = {
  readonly id: string;
  readonly name?: string | undefined;
  readonly gender?: string | undefined;
  readonly language?: string | undefined;
  readonly description?: string | undefined;
  /** The speech service that has it, or several by commas; absent where there is only one */
  readonly upstream?: string | undefined;
};

/** A text-to-speech job (interface 2.2) */
export type JobRecord = {
  readonly id: string;
  readonly createdAt: string;
  /** The parameters that were used, with the seed */
  readonly input: Readonly<Record<string, unknown>>;
  readonly completedAt: string | null;
  /** Empty until the job is completed */
  readonly output: {
    readonly url?: string | undefined;
    readonly contentType?: string | undefined;
    /** Bytes */
    readonly fileSize?: number | undefined;
    /** Seconds */
    readonly duration?: number | undefined;
    /** Ours: Hz */
    readonly sampleRate?: number | undefined;
    /** Ours: WebVTT */
    readonly captionsUrl?: string | undefined;
    /** Ours: the same as SubRip */
    readonly subtitlesUrl?: string | undefined;
    /** Ours: which speech services spoke, in ms of the file */
    readonly servedBy?: ({
      readonly upstream: string;
      readonly voice?: string | undefined;
      readonly fromMs: number;
      readonly toMs: number;
    })[] | undefined;
  };
  /** Ours */
  readonly status: "waiting" | "running" | "completed" | "failed" | "cancelled";
  /** Ours: what is being done, for people */
  readonly phase: string;
  /** Ours */
  readonly progress: number;
  /** Ours */
  readonly error: {
    readonly code: string;
    readonly message: string;
  } | null;
};

/** A PlayNote (interface 2.1) */
export type PlayNoteRecord = {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly sourceFileUrl: string;
  /** Ours: what the source is called: the name of the file that was sent, or of the one at its address */
  readonly sourceName: string;
  readonly audioUrl: string | null;
  readonly synthesisStyle: "podcast" | "executive-briefing" | "childrens-story" | "debate";
  readonly voice1: string;
  readonly voice1Name?: string | undefined;
  readonly voice1Gender?: "Male" | "Female" | undefined;
  readonly voice2: string | null;
  readonly voice2Name: string | null;
  readonly voice2Gender: "Male" | "Female" | null;
  readonly webHookUrl?: string | undefined;
  readonly status: "generating" | "completed" | "failed";
  /** Seconds */
  readonly duration: number | null;
  readonly requestedAt: string;
  /** When its audio was there */
  readonly createdAt: string | null;
  /** Ours: what is being done, for people */
  readonly phase: string;
  /** Ours */
  readonly progress: number;
  /** Ours */
  readonly error: {
    readonly code: string;
    readonly message: string;
  } | null;
  /** Ours: the script with word times, JSON */
  readonly scriptUrl: string | null;
  /** Ours: WebVTT */
  readonly captionsUrl: string | null;
  /** Ours: the same as SubRip */
  readonly subtitlesUrl: string | null;
  /** Ours: WebVTT */
  readonly chaptersUrl: string | null;
};

/** An agent: a stored speaking profile (ours) */
export type AgentRecord = {
  readonly name: string;
  readonly voice?: string | undefined;
  readonly voice2?: string | null | undefined;
  readonly speed?: number | undefined;
  readonly temperature?: number | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly prompt2?: string | null | undefined;
  readonly voiceConditioningSeconds?: number | null | undefined;
  readonly voiceConditioningSeconds2?: number | null | undefined;
  readonly language?: "afrikaans" | "albanian" | "amharic" | "arabic" | "bengali" | "bulgarian" | "catalan" | "croatian" | "czech" | "danish" | "dutch" | "english" | "french" | "galician" | "german" | "greek" | "hebrew" | "hindi" | "hungarian" | "indonesian" | "italian" | "japanese" | "korean" | "malay" | "mandarin" | "polish" | "portuguese" | "russian" | "serbian" | "spanish" | "swedish" | "tagalog" | "thai" | "turkish" | "ukrainian" | "urdu" | "xhosa" | null | undefined;
  /** Speech services that may speak, by name and in order of preference */
  readonly upstream?: string[] | null | undefined;
  readonly prefer?: "order" | "voice" | "soonest" | null | undefined;
  readonly lastResort?: "speak" | "apologise" | "fail" | null | undefined;
  readonly lastResortText?: string | null | undefined;
  readonly format?: "mulaw" | "alaw" | "raw" | "wav" | "mp3" | "ogg" | "flac" | null | undefined;
  readonly sampleRate?: number | null | undefined;
  /** Short names for voices: what a session calls a voice, and its URI */
  readonly aliases?: Readonly<Record<string, string>> | null | undefined;
  readonly pronunciations?: {
    readonly written: string;
    readonly spoken: string;
  }[] | null | undefined;
  /** Spoken when a session begins, as turn "greeting" */
  readonly greeting?: string | null | undefined;
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** What was spoken with an agent (ours) */
export type AgentStatsRecord = {
  readonly agentId: string;
  readonly sessions: number;
  readonly turns: number;
  /** Unicode code points of the turns that were spoken */
  readonly characters: number;
  readonly secondsSpoken: number;
  /** Turns that were cancelled while they were heard */
  readonly interruptions: number;
  readonly firstAudioP50Ms: number | null;
  readonly firstAudioP95Ms: number | null;
};

/** A message to a webhook (ours) */
export type DeliveryRecord = {
  /** The webhook-id of every attempt */
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly state: "pending" | "delivered" | "given-up";
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly attempts: ({
    readonly at: string;
    readonly tookMs: number;
    readonly status: number | null;
    readonly problem: string | null;
  })[];
};
