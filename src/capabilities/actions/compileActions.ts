import type { z } from "zod";
import { isDotNotation } from "../../engine/operation/eventType.js";
import { concurrencyRules } from "../../engine/resource/define/concurrency.js";
import type { Resource } from "../../engine/resource/resource.js";
import { callable, either, flag, listOf, named, oneOf, optionsCheck, passing, strict, text, texts, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { ownCode } from "../../ground/problem/ownProblem.js";
import { rowReader } from "../../language/schema/rowReader.js";
import type { ActionOptions, CompiledAction, DeclaredProblem } from "./action.js";
import { compileInput } from "./input.js";
import { checkActionName, checkNoId } from "./names.js";
import { compileOutput } from "./output.js";
import { restoreAction } from "./restore.js";

const checkAction = /* @__PURE__ */ optionsCheck("action", () =>
  strict<ActionOptions>(
    {
      on: oneOf("row", "collection"),
      method: oneOf("POST", "GET"),
      input: zodType("a zod object"),
      output: zodType("a zod type"),
      events: texts(),
      problems: either(
        "an array of codes, or an object with a status or a description of each",
        listOf(code(), "an array of codes"),
        named(either("a status from 400 to 599, or a description", whole(400, 599), text())),
      ),
      batch: flag(),
      ...concurrencyRules(),
      run: callable(),
    },
    ["on", "run"],
  ),
);

function zodType(what: string): z.ZodType {
  return passing(what, (value) => (value as Partial<z.ZodType> | null | undefined)?._zod !== undefined);
}

function code(): z.ZodType {
  return passing('a code in upper case, such as "ORDER_SHIPPED"', (value) => typeof value === "string" && ownCode.test(value));
}

/** What the function `action` makes. Its options are checked when its name is known. */
class DefinedAction {
  readonly options: unknown;

  constructor(options: unknown) {
    this.options = options;
  }
}

const tools = { action: (options: unknown): DefinedAction => new DefinedAction(options) };

/** The actions of a collection, by name. @throws {ConfigurationError} for an option or a name that cannot work */
export function compileActions(resource: Resource): ReadonlyMap<string, CompiledAction> {
  const define = resource.options.actions as ((given: typeof tools) => unknown) | undefined;
  const restores = resource.model.table?.options.softDelete?.restore ? [["restore", restoreAction(resource)] as const] : [];
  if (define === undefined) return new Map(restores);
  const defined = define(tools);
  if (typeof defined !== "object" || defined === null || Array.isArray(defined)) {
    throw new ConfigurationError(`${resource.name}: "actions" must return an object: ({ action }) => ({ cancel: action({ … }) }).`);
  }
  return new Map([...restores, ...Object.entries(defined).map(([name, made]) => [name, compileAction(resource, name, made)] as const)]);
}

function compileAction(resource: Resource, name: string, made: unknown): CompiledAction {
  const place = `${resource.name}: the action "${name}"`;
  if (!(made instanceof DefinedAction)) throw new ConfigurationError(`${place} must be made by the function "action" that "actions" receives.`);
  checkAction(made.options, place);
  checkActionName(place, resource, name);
  const { on, method = "POST", input, output, events = [], problems, batch = false, isolation, concurrent, run } = made.options as ActionOptions;
  if (batch && (on !== "row" || method !== "POST")) {
    throw new ConfigurationError(`${place} says "batch", which only an action on a row with the method POST can have.`);
  }
  if (on === "row" && resource.idNames.length === 0)
    throw new ConfigurationError(`${place} is on a row, but rows of "id: false" have no address; say on: "collection".`);
  if (on === "collection" || batch) checkNoId(place, resource, name);
  const faulty = events.find((type) => !isDotNotation(type));
  if (faulty !== undefined)
    throw new ConfigurationError(`${place} names the event "${faulty}"; events have names in dot notation, as "order.cancelled".`);
  if (method === "GET" && events.length > 0) throw new ConfigurationError(`${place} has "events", but a GET only reads.`);
  if (method === "GET" && (isolation ?? concurrent) !== undefined)
    throw new ConfigurationError(`${place} has "isolation" or "concurrent", but a GET has no transaction.`);
  return {
    name,
    resource,
    on,
    method,
    readRow: rowReader(resource),
    options: made.options as ActionOptions,
    input: compileInput(place, input),
    output: compileOutput(place, output),
    events: new Set(events),
    problems: declaredProblems(place, problems),
    hasBatch: batch,
    isolation,
    concurrent,
    run: run as CompiledAction["run"],
    place,
  };
}

function declaredProblems(place: string, problems: ActionOptions["problems"] = []): CompiledAction["problems"] {
  if (Array.isArray(problems)) return new Map((problems as readonly string[]).map((name) => [name, undefined]));
  const entries = Object.entries(problems as Readonly<Record<string, DeclaredProblem>>);
  const faulty = entries.find(([name]) => !ownCode.test(name));
  if (faulty !== undefined)
    throw new ConfigurationError(`${place} declares the problem "${faulty[0]}"; codes are in upper case, such as "ORDER_SHIPPED".`);
  return new Map(entries);
}
