import type { Describing } from "../../engine/description/describing.js";
import type { AddedDescription, DescribedAnswer, DescribedBody, OperationDescription } from "../../engine/operation/description.js";
import { type Operation, takesKey } from "../../engine/operation/operation.js";
import { headersWith } from "../../ground/http/headers/answerHeaders.js";
import { headersOf } from "./headers.js";
import { type Problems, problemContent, problemType, type Status, statusOf } from "./problems.js";

/** What is known of the answers of an operation. */
export interface Answers {
  readonly operation: Operation;
  readonly description: OperationDescription;
  /** The problems of the document. */
  readonly problems: Problems;
  /** Codes of the steps before the operation. */
  readonly pipeline: readonly string[];
  readonly added: readonly AddedDescription[];
  /** The status of rate-limited requests of some clients, beside 429. */
  readonly limitedStatus: number | undefined;
  /** Whether rules of the developer may refuse with codes of their own. */
  readonly hasOwnRules: boolean;
}

/** The answers of an operation by status, and the codes of its own. */
export interface DescribedResponses {
  readonly responses: Readonly<Record<string, unknown>>;
  readonly codes: readonly string[];
}

/** The answers of an operation by status: its own, a problem for each status of its codes, and by default what any request may be answered. */
export function responsesOf(describing: Describing, answers: Answers): DescribedResponses {
  const { components } = describing;
  const { problems } = answers;
  const { answers: own, problemHeaders = [] } = answers.description;
  const byStatus = codesByStatus(answers);
  // A status of the operation itself is also that of the steps before it.
  const codesOf = (status: Status) => [...(byStatus.get(status) ?? []), ...answers.pipeline.filter((code) => statusOf(code) === status)];
  const responses = new Map<Status, object>();
  for (const answer of own) {
    const response = ownResponse(describing, withTypes(describing, answer, answers.added), codesOf(answer.status));
    responses.set(answer.status, components.shared("responses", `${schemaName(answer.bodies ?? []) || "Answer"}${answer.status}`, response));
  }
  for (const status of byStatus.keys()) if (!responses.has(status)) responses.set(status, problems.of(status, codesOf(status), problemHeaders));
  // What asks for credentials is a part of the operation for its readers and for linters.
  if (answers.pipeline.includes("UNAUTHENTICATED")) responses.set(401, problems.of(401, ["UNAUTHENTICATED"], []));
  const statuses = [...responses].sort(([a], [b]) => rank(a) - rank(b));
  return {
    responses: { ...Object.fromEntries(statuses), default: problems.ofAny(answers.pipeline, headersOfAny(answers)) },
    codes: [...new Set([...byStatus.values()].flat())],
  };
}

/** A class comes after the statuses that it stands for. */
function rank(status: Status): number {
  return typeof status === "number" ? status : Number(status.charAt(0)) * 100 + 99.5;
}

/** The codes of the operation itself, beside those of any request. */
function codesByStatus({ description, pipeline, limitedStatus, hasOwnRules }: Answers): ReadonlyMap<Status, readonly string[]> {
  const byStatus = new Map<Status, string[]>();
  const add = (status: Status, code?: string) => {
    const known = byStatus.get(status) ?? [];
    byStatus.set(status, known);
    if (code !== undefined && !known.includes(code)) known.push(code);
  };
  for (const code of description.codes ?? []) if (!pipeline.includes(code)) add(statusOf(code), code);
  for (const [code, said] of Object.entries(description.ownProblems ?? {})) add(typeof said === "number" ? said : statusOf(code), code);
  if (limitedStatus !== undefined && pipeline.includes("RATE_LIMITED")) add(limitedStatus, "RATE_LIMITED");
  if (hasOwnRules) add("4XX");
  return byStatus;
}

/** Headers that any answer of an operation may have. They are listed with `default` only: with each answer they would be a tenth of the document. */
function headersOfAny({ operation, description, added, pipeline }: Answers): readonly string[] {
  const own = added.flatMap((each) => each.answerHeaders ?? []);
  const replayed = takesKey(operation) ? ["Idempotent-Replayed"] : [];
  const challenge = pipeline.includes("UNAUTHENTICATED") ? ["WWW-Authenticate"] : [];
  return [...headersWith(({ on }) => on !== undefined), ...own, ...replayed, ...challenge, ...(description.problemHeaders ?? [])];
}

function ownResponse(describing: Describing, answer: DescribedAnswer, problems: readonly string[]): object {
  const { components } = describing;
  const { text, headers = [], bodies = [], links } = answer;
  const content = Object.fromEntries(bodies.map((body) => [body.mediaType, contentOf(describing, body)]));
  const all = problems.length === 0 ? content : { ...content, [problemType]: problemContent(components, problems) };
  return {
    description: text,
    ...(headers.length > 0 && { headers: headersOf(components, headers) }),
    ...(Object.keys(all).length > 0 && { content: all }),
    ...(links && {
      links: Object.fromEntries(Object.entries(links).map(([name, { operation, parameters }]) => [name, { operationId: operation, parameters }])),
    }),
    ...(problems.length > 0 && { "x-problem-codes": problems }),
  };
}

/** An answer with the further media types that its JSON may have. */
function withTypes(describing: Describing, answer: DescribedAnswer, added: readonly AddedDescription[]): DescribedAnswer {
  return { ...answer, bodies: alsoAs(describing, answer.bodies ?? [], added) };
}

/** Bodies of JSON, also in the media types that capabilities add in the version of the document. */
export function alsoAs({ environment }: Describing, bodies: readonly DescribedBody[], added: readonly AddedDescription[]): readonly DescribedBody[] {
  const types = added.flatMap(({ jsonType }) => jsonType?.(environment.version?.name) ?? []);
  // One example is enough.
  const others = (body: DescribedBody) => types.map((mediaType) => ({ ...body, mediaType, example: undefined }));
  return bodies.flatMap((body) => (body.mediaType === "application/json" ? [body, ...others(body)] : [body]));
}

/** The name of the schema of bodies, from which generators make the names of types; empty if it has none. */
export function schemaName(bodies: readonly DescribedBody[]): string {
  const ref = bodies.map(({ schema }) => schema?.["$ref"]).find((each) => each !== undefined);
  return String(ref ?? "").replace(/.*\//, "");
}

/** The content of a body. OpenAPI 3.1 has no word for the items of a stream, and its linters refuse references in extensions: there the schema is named by a text. */
export function contentOf({ version }: Pick<Describing, "version">, { schema, item, example, encoding }: DescribedBody): object {
  const items = version === "3.2" ? { itemSchema: item } : { "x-restwright-item": item?.["$ref"] ?? item };
  return { ...(schema && { schema }), ...(example !== undefined && { example }), ...(encoding && { encoding }), ...(item && items) };
}
