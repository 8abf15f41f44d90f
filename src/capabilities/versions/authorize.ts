import { AuthorizationQuestion, type Authorize } from "../../parts/auth/authorize.js";
import type { Step } from "./step.js";

/** Asks `authorize` about fields of the neighbour, so that a developer's callback knows only those of the schema. */
export function authorizeIn(authorize: Authorize | undefined, steps: ReadonlyMap<string, Step>): Authorize | undefined {
  if (authorize === undefined) return undefined;
  return async (question) => {
    const step = steps.get(question.collection);
    if (step === undefined || step.changes.length === 0) return authorize(question);
    const { principal, action, collection, fields } = question;
    const near = new AuthorizationQuestion({ principal, action, collection, fields: fields && namesOfNeighbour(step, fields) });
    const answer = await authorize(near);
    return typeof answer === "object" && "fields" in answer ? { fields: allowedNames(step, answer.fields) } : answer;
  };
}

function namesOfNeighbour({ changes }: Step, names: readonly string[]): string[] {
  const near = names.flatMap((name) => changes.find(({ far }) => far.some((field) => field.name === name))?.change.replaces ?? [name]);
  return [...new Set(near)];
}

/** A member is allowed if all fields that it is made from are. */
function allowedNames({ near, changes }: Step, allowed: readonly string[]): string[] {
  const replaced = new Set(changes.flatMap(({ change }) => change.replaces));
  const members = changes.filter(({ change }) => change.replaces.every((name) => allowed.includes(name)));
  return [...allowed.filter((name) => near.fields.has(name) && !replaced.has(name)), ...members.flatMap(({ far }) => far.map(({ name }) => name))];
}
