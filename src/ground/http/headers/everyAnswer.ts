import type { ResponseHeaders } from "../message.js";

/** A header of answers: what the OpenAPI document and CORS say of it. */
export interface AnswerHeader {
  /** What it means. */
  readonly text: string;
  /** JSON Schema of its value; any text unless given. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** `every` answer has it, `any` answer may have it, or, unless given, only answers of the operations that name it. */
  readonly on?: "every" | "any";
  /** Scripts of other origins may read it. The Fetch standard allows some without that, such as Cache-Control and Last-Modified. */
  readonly isExposed?: true;
}

/** What the headers of every answer are made of. */
export interface Answering {
  readonly requestId: string;
  /** Whether the answer depends on no credentials. */
  readonly isOpen: boolean;
  /** The headers so far. */
  readonly headers: Readonly<ResponseHeaders>;
}

/** A header of every answer, with its value. */
export interface EveryAnswerHeader extends AnswerHeader {
  readonly on: "every";
  /** Its value in an answer. */
  valueOf(answering: Answering): string | readonly string[];
}

/** The headers that every answer has: a row here is a header of all operations, of their problems and of the OpenAPI document. */
export const everyAnswer = {
  "X-Request-ID": {
    text: "Names the request in the log of the service. Every answer has it.",
    on: "every",
    isExposed: true,
    valueOf: ({ requestId }: Pick<Answering, "requestId">) => requestId,
  },
  "X-Content-Type-Options": {
    // A browser must not take an answer for a page or a script, whatever texts of clients are in it.
    text: "Every answer has it.",
    schema: { const: "nosniff" },
    on: "every",
    valueOf: () => "nosniff",
  },
  "Cache-Control": {
    text: "How caches may keep the answer. Every answer has it.",
    on: "every",
    valueOf: ({ headers, isOpen }: Pick<Answering, "headers" | "isOpen">) => headers["cache-control"] ?? (isOpen ? "no-cache" : "private, no-cache"),
  },
} satisfies Readonly<Record<string, EveryAnswerHeader>>;

/** Adds the headers that every answer has. By name, and in a constant order: with names from a list, engines keep headers as a dictionary, which costs 12 µs an answer. */
export function addToEveryAnswer(headers: ResponseHeaders, { requestId, isOpen }: Omit<Answering, "headers">): void {
  headers["x-request-id"] = everyAnswer["X-Request-ID"].valueOf({ requestId });
  headers["x-content-type-options"] = everyAnswer["X-Content-Type-Options"].valueOf();
  headers["cache-control"] = everyAnswer["Cache-Control"].valueOf({ headers, isOpen });
}
