import type { AddedDescription, DescribedAnswer, DescribedBody, OperationDescription } from "../operation/description.js";
import type { Operation } from "../operation/operation.js";
import { codes, describeCode, type ProblemCode } from "../problem/codes.js";
import type { Components } from "./components.js";
import type { Describing } from "./describing.js";
import { commonHeaders, headerRef } from "./headers.js";
import { problemSchema } from "./schemas/problemSchema.js";

const problemType = "application/problem+json";

/** A status, or a class of them if it is not known. */
type Status = number | "2XX" | "4XX";

/** What is known of the answers of an operation. */
export interface Answers {
  readonly operation: Operation;
  readonly description: OperationDescription;
  /** Codes of the steps before the operation. */
  readonly pipeline: readonly string[];
  readonly added: readonly AddedDescription[];
  /** The status of rate-limited requests of some clients, beside 429. */
  readonly limitedStatus: number | undefined;
  /** Whether rules of the developer may refuse with codes of their own. */
  readonly hasOwnRules: boolean;
}

/** The answers of an operation by status: its own, and a problem for each status of its codes. */
export function responsesOf(describing: Describing, answers: Answers): Readonly<Record<string, unknown>> {
  const { components } = describing;
  const byStatus = codesByStatus(answers);
  const own = new Map(answers.description.answers.map((answer) => [answer.status, answer] as const));
  const headers = [...commonHeaders, ...addedHeaders(answers)];
  const statuses = [...new Set<Status>([...own.keys(), ...byStatus.keys()])].sort((a, b) => rank(a) - rank(b));
  return Object.fromEntries(
    statuses.map((status) => {
      const answer = status === "4XX" ? undefined : own.get(status);
      const problems = byStatus.get(status);
      const ofProblems = [...headers, "Content-Language", ...(problemHeaders[status] ?? []), ...(answers.description.problemHeaders ?? [])];
      if (answer === undefined) {
        const content = `${problems} ${ofProblems}`;
        return [
          status,
          components.keyed("responses", `Problem${status}`, content, () => problemResponse(components, status, problems ?? [], ofProblems)),
        ];
      }
      const response = ownResponse(describing, withTypes(answer, answers.added), problems, problems === undefined ? headers : ofProblems);
      return [status, components.shared("responses", `${schemaName(answer.bodies ?? []) || "Answer"}${status}`, response)];
    }),
  );
}

/** A class comes after the statuses that it stands for. */
function rank(status: Status): number {
  return typeof status === "number" ? status : Number(status.charAt(0)) * 100 + 99.5;
}

function codesByStatus({ description, pipeline, added, limitedStatus, hasOwnRules }: Answers): ReadonlyMap<Status, readonly string[]> {
  const all = [...pipeline, ...(description.codes ?? []), ...added.flatMap((each) => each.codes ?? [])];
  const byStatus = new Map<Status, string[]>();
  const add = (status: Status, code?: string) => {
    const known = byStatus.get(status) ?? [];
    byStatus.set(status, known);
    if (code !== undefined && !known.includes(code)) known.push(code);
  };
  for (const code of all) add(statusOf(code), code);
  for (const [code, said] of Object.entries(description.ownProblems ?? {})) add(typeof said === "number" ? said : statusOf(code), code);
  if (limitedStatus !== undefined && all.includes("RATE_LIMITED")) add(limitedStatus, "RATE_LIMITED");
  if (hasOwnRules) add("4XX");
  return byStatus;
}

function statusOf(code: string): Status {
  if (Object.hasOwn(codes, code)) return codes[code as Exclude<ProblemCode, `DUPLICATE_${string}`>].status;
  return code.startsWith("DUPLICATE_") ? 422 : "4XX";
}

function addedHeaders({ operation, added }: Answers): readonly string[] {
  const own = added.flatMap((each) => each.answerHeaders ?? []);
  return operation.safety === "safe" ? own : [...own, "Idempotent-Replayed"];
}

function problemResponse(components: Components, status: Status, problems: readonly string[], headers: readonly string[]): object {
  return {
    description: typeof status === "number" ? titleOf(status) : "A rule of this service refuses the request.",
    headers: headersOf(components, headers),
    content: { [problemType]: problemContent(components, status, problems) },
    ...(problems.length > 0 && { "x-problem-codes": problems }),
  };
}

function ownResponse(describing: Describing, answer: DescribedAnswer, problems: readonly string[] | undefined, headers: readonly string[]): object {
  const { components } = describing;
  const { status, text, bodies = [], links } = answer;
  const content = Object.fromEntries(bodies.map((body) => [body.mediaType, contentOf(describing, body)]));
  const all = problems === undefined ? content : { ...content, [problemType]: problemContent(components, status, problems) };
  return {
    description: text,
    headers: headersOf(components, [...headers, ...(answer.headers ?? [])]),
    ...(Object.keys(all).length > 0 && { content: all }),
    ...(links && {
      links: Object.fromEntries(Object.entries(links).map(([name, { operation, parameters }]) => [name, { operationId: operation, parameters }])),
    }),
    ...(problems !== undefined && { "x-problem-codes": problems }),
  };
}

/** An answer with the further media types that its JSON may have. */
function withTypes(answer: DescribedAnswer, added: readonly AddedDescription[]): DescribedAnswer {
  return { ...answer, bodies: alsoAs(answer.bodies ?? [], added) };
}

/** Bodies of JSON, also in the media types that a capability adds. */
export function alsoAs(bodies: readonly DescribedBody[], added: readonly AddedDescription[]): readonly DescribedBody[] {
  const types = added.flatMap(({ jsonTypes = [] }) => jsonTypes);
  return bodies.flatMap((body) => (body.mediaType === "application/json" ? [body, ...types.map((mediaType) => ({ ...body, mediaType }))] : [body]));
}

/** The name of the schema of bodies, from which generators make the names of types; empty if it has none. */
export function schemaName(bodies: readonly DescribedBody[]): string {
  const ref = bodies.map(({ schema }) => schema?.["$ref"]).find((each) => each !== undefined);
  return String(ref ?? "").replace(/.*\//, "");
}

/** The content of a body. OpenAPI 3.1 has no word for the items of a stream, and its linters refuse references in extensions: there the schema is named by a text. */
export function contentOf({ version }: Pick<Describing, "version">, { schema, item, encoding }: DescribedBody): object {
  const items = version === "3.2" ? { itemSchema: item } : { "x-restwright-item": item?.["$ref"] ?? item };
  return { ...(schema && { schema }), ...(encoding && { encoding }), ...(item && items) };
}

function problemContent(components: Components, status: Status, problems: readonly string[]): object {
  const examples = problems.map((code) => [code, components.ref("examples", code, () => ({ value: exampleOf(status, code) }))]);
  return { schema: problemSchema(components), ...(problems.length > 0 && { examples: Object.fromEntries(examples) }) };
}

function exampleOf(status: Status, code: string): object {
  const number = typeof status === "number" ? status : 409;
  return { type: "about:blank", title: titleOf(number), status: number, detail: `${describeCode(code as ProblemCode).title}.`, code };
}

function headersOf(components: Components, names: readonly string[]): object {
  return Object.fromEntries([...new Set(names)].map((name) => [name, headerRef(components, name)]));
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

const titles: Readonly<Record<number, string>> = {
  400: "The request is malformed.",
  401: "Credentials are missing or wrong.",
  403: "The caller may not do this.",
  404: "There is no such resource, or the caller may not see it.",
  405: "The path does not have this method.",
  406: "None of the accepted media types is available.",
  408: "The body took too long.",
  409: "The request conflicts with the present state.",
  410: "It is no longer there.",
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
