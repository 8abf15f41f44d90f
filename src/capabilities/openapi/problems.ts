import type { Components, Reference } from "../../engine/description/components.js";
import { problemSchema } from "../../engine/description/schemas/problemSchema.js";
import { codes, describeCode, type ProblemCode } from "../../ground/problem/codes.js";
import { headersOf } from "./headers.js";

export const problemType = "application/problem+json";

/** A status, or a class of them if it is not known. */
export type Status = number | "2XX" | "4XX";

/** What each request may be answered, whatever its operation. */
const anyRequest = "default";

interface Drafted {
  readonly reference: Reference;
  readonly codes: Set<string>;
  readonly headers: Set<string>;
  readonly response: Record<string, unknown>;
}

/**
 * The problems that operations share: one for each status with all of its codes, and one for what any request may be answered. An operation lists the codes of its own beside
 * them, since a response for each set of codes would be half of the document.
 */
export class Problems {
  readonly #components: Components;
  readonly #drafted = new Map<Status | typeof anyRequest, Drafted>();

  constructor(components: Components) {
    this.#components = components;
  }

  /** The answer with a status, which may have these codes and headers. */
  of(status: Status, problems: readonly string[], headers: readonly string[]): Reference {
    return this.#add(status, problems, [...(problemHeaders[status] ?? []), ...headers]);
  }

  /** The answer to any request, with these codes and headers. */
  ofAny(problems: readonly string[], headers: readonly string[]): Reference {
    return this.#add(anyRequest, problems, [...problems.flatMap((code) => problemHeaders[statusOf(code)] ?? []), ...headers]);
  }

  /** Completes the answers, when all operations have said what they may answer. */
  complete(): void {
    for (const [status, { codes: problems, headers, response }] of this.#drafted) {
      Object.assign(response, {
        description: typeof status === "number" ? titleOf(status) : status === anyRequest ? anyTitle : "A rule of this service refuses the request.",
        ...(headers.size > 0 && { headers: headersOf(this.#components, [...headers].toSorted()) }),
        content: { [problemType]: problemContent(this.#components, [...problems].toSorted()) },
        ...(problems.size > 0 && { "x-problem-codes": [...problems].toSorted() }),
      });
    }
  }

  #add(status: Status | typeof anyRequest, problems: readonly string[], headers: readonly string[]): Reference {
    const drafted = this.#draft(status);
    for (const code of problems) drafted.codes.add(code);
    for (const name of headers) drafted.headers.add(name);
    return drafted.reference;
  }

  #draft(status: Status | typeof anyRequest): Drafted {
    const known = this.#drafted.get(status);
    if (known !== undefined) return known;
    const response = {};
    const reference = this.#components.ref("responses", status === anyRequest ? "Problem" : `Problem${status}`, () => response);
    const drafted = { reference, response, codes: new Set<string>(), headers: new Set<string>() };
    this.#drafted.set(status, drafted);
    return drafted;
  }
}

/** The status of a code; 4XX of those that this library does not know. */
export function statusOf(code: string): Status {
  if (Object.hasOwn(codes, code)) return codes[code as Exclude<ProblemCode, `DUPLICATE_${string}`>].status;
  return code.startsWith("DUPLICATE_") ? 422 : "4XX";
}

/** The content of answers with these codes, with an example of each. */
export function problemContent(components: Components, problems: readonly string[]): object {
  const examples = problems.map((code) => [code, components.ref("examples", code, () => ({ value: exampleOf(code) }))]);
  return { schema: problemSchema(components), ...(problems.length > 0 && { examples: Object.fromEntries(examples) }) };
}

function exampleOf(code: string): object {
  const known = statusOf(code);
  const status = typeof known === "number" ? known : 409;
  return { type: "about:blank", title: titleOf(status), status, detail: `${describeCode(code as ProblemCode).title}.`, code };
}

/** Headers that problems of a status may have. */
const problemHeaders: Readonly<Record<string, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  403: ["WWW-Authenticate"],
  405: ["Allow"],
  409: ["Retry-After", "Upload-Offset"],
  412: ["ETag", "Last-Modified", "Tus-Version"],
  413: ["Link"],
  415: ["Accept-Patch", "Accept-Encoding", "Upload-Offset"],
  416: ["Content-Range", "Accept-Ranges", "ETag", "Last-Modified"],
  423: ["Retry-After"],
  429: ["Retry-After"],
  428: ["ETag", "Last-Modified"],
  500: ["Retry-After"],
  503: ["Retry-After"],
};

const anyTitle = "A problem that any request may have: its `status` and `code` say which.";

const titles: Readonly<Record<number, string>> = {
  400: "The request is malformed.",
  401: "Credentials are missing or wrong.",
  403: "The caller may not do this.",
  404: "The resource does not exist, or the caller may not see it.",
  405: "The path does not have this method.",
  406: "None of the accepted media types is available.",
  408: "The body took too long.",
  409: "The request conflicts with the present state.",
  410: "The resource has been removed.",
  411: "The length is missing.",
  412: "A precondition does not hold.",
  413: "The body is too large.",
  414: "The address is too long.",
  415: "The media type is not accepted.",
  416: "The range lies outside the file.",
  422: "The content is not valid.",
  423: "Another request holds it.",
  428: "A precondition is missing.",
  429: "Too many requests.",
  460: "The content does not match its checksum.",
  500: "The service failed.",
  501: "The service does not support this.",
  503: "The service is not available now.",
};

function titleOf(status: number): string {
  return titles[status] ?? `Status ${status}.`;
}
