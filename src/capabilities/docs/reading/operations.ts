import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import { resolvePart, type Spec, type SpecBody, type SpecOperation, type SpecParameter, type SpecResponse } from "./spec.js";

/** An operation as the page shows it: without references. */
export interface ShownOperation {
  /** Unique within the document. */
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly isDeprecated: boolean;
  readonly parameters: readonly SpecParameter[];
  readonly body: SpecBody | undefined;
  /** By status, in ascending order. */
  readonly answers: readonly (readonly [status: string, response: SpecResponse])[];
  readonly security: SpecOperation["security"];
}

/** A group of operations. */
export interface ShownTag {
  readonly name: string;
  readonly description: string | undefined;
  readonly operations: readonly ShownOperation[];
}

const methods = ["get", "post", "put", "patch", "delete", "query", "head", "options", "trace"];

/** The groups of a document in its order, with their operations. Groups without operations are left out. */
export async function readTags(spec: Spec): Promise<readonly ShownTag[]> {
  const operations = await readOperations(spec);
  const described = new Map((spec.tags ?? []).map(({ name, description }) => [name, description]));
  const names = new Set([...described.keys(), ...operations.map(({ tag }) => tag)]);
  const tags = [...names].map((name) => ({ name, description: described.get(name), operations: ownFirst(name, operations) }));
  return tags.filter((tag) => tag.operations.length > 0);
}

/** The operations of a group: those at its own path, then those below rows of other groups. */
function ownFirst(name: string, operations: readonly ShownOperation[]): readonly ShownOperation[] {
  const isBelow = ({ path }: ShownOperation) => Number(path.split("/")[1] !== name);
  return operations.filter(({ tag }) => tag === name).sort((a, b) => isBelow(a) - isBelow(b));
}

async function readOperations(spec: Spec): Promise<readonly ShownOperation[]> {
  const paths = await mapInTurns(Object.entries(spec.paths ?? {}), ([path, item]) => {
    const own = methods.flatMap((method) => (item[method] === undefined ? [] : [[method, item[method] as SpecOperation] as const]));
    const more = Object.entries({ ...item["x-additionalOperations"], ...item.additionalOperations });
    return [...own, ...more].map(([method, operation]) =>
      shown(spec, operation, { method: method.toUpperCase(), path, shared: item.parameters ?? [] }),
    );
  });
  return paths.flat();
}

interface At {
  readonly method: string;
  readonly path: string;
  /** Parameters of all operations of the path. */
  readonly shared: NonNullable<SpecOperation["parameters"]>;
}

function shown(spec: Spec, operation: SpecOperation, { method, path, shared }: At): ShownOperation {
  return {
    id: operation.operationId ?? `${method} ${path}`,
    method,
    path,
    tag: operation.tags?.[0] ?? "other",
    summary: operation.summary ?? `${method} ${path}`,
    description: operation.description,
    isDeprecated: operation.deprecated === true,
    parameters: [...shared, ...(operation.parameters ?? [])].flatMap((part) => resolvePart(spec, part) ?? []),
    body: resolvePart(spec, operation.requestBody),
    answers: readAnswers(spec, operation),
    security: operation.security ?? spec.security,
  };
}

function readAnswers(spec: Spec, { responses = {}, "x-problem-codes": own }: SpecOperation): ShownOperation["answers"] {
  const answers = Object.entries(responses).flatMap(([status, part]) => {
    const response = resolvePart(spec, part);
    if (response === undefined) return [];
    const { "x-problem-codes": all } = response;
    // Operations share the answer of a status, and each has some of its codes.
    const codes = status === "default" || own === undefined ? all : all?.filter((code) => own.includes(code));
    return [[status, { ...response, ...(codes && { "x-problem-codes": codes }) }] as const];
  });
  return answers.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A webhook as the page shows it. */
export function readWebhooks(spec: Spec): readonly ShownOperation[] {
  return Object.entries(spec.webhooks ?? {}).flatMap(([name, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...shown(spec, operation, { method: method.toUpperCase(), path: name, shared: [] }),
      tag: "webhooks",
    })),
  );
}
