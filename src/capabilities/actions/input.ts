import type { z } from "zod";
import type { QueryContext } from "../../engine/operation/operation.js";
import { objectInput } from "../../engine/resource/write/objectInput.js";
import { isObject } from "../../ground/http/isObject.js";
import { pointer } from "../../ground/http/pointer.js";
import { whenReady } from "../../ground/http/whenReady.js";
import { ProblemError, type ProblemItem } from "../../ground/problem/index.js";
import { type Faults, repeatedParameter } from "../../language/query/fault.js";
import { decoderOf } from "../../language/query/grammar/decode.js";
import { eachParameter } from "../../language/query/grammar/parameters.js";
import { refuseFaults } from "../../language/query/grammar/parse.js";
import { unknownParameter } from "../../language/query/grammar/unknownParameter.js";
import type { FieldModel } from "../../language/schema/field.js";
import { compileScalar } from "../../language/schema/scalarText.js";

/** How the input of an action is read. */
export interface ActionInput {
  readonly members: readonly FieldModel[];
  /** Whether an input as a body has it is valid. */
  accepts(input: unknown): boolean | Promise<boolean>;
  /** The input of a body, of an item of a batch, or of a call from code. @throws {ProblemError} VALIDATION_FAILED */
  read(body: unknown): Promise<unknown>;
  /** The input of a query string. @throws {ProblemError} 400 with all faults */
  readQuery(context: Pick<QueryContext, "environment" | "request">): Promise<unknown>;
}

/** @throws {ConfigurationError} for a schema that is not of an object */
export function compileInput(place: string, schema: z.ZodType | undefined): ActionInput {
  if (schema === undefined) return noInput;
  const { model, validated, read } = objectInput(place, schema);
  return {
    members: [...(model.children?.values() ?? [])],
    accepts(input) {
      return whenReady(validated(input), ({ ok }) => ok);
    },
    read,
    async readQuery({ environment, request }) {
      const faults: Faults = [];
      const members = membersOf(model, request.query, environment.lists.query, faults);
      const validation = await validated(members);
      if (!validation.ok)
        faults.push(...validation.items.map(ofParameter).filter((item) => !faults.some((known) => known.parameter === item.parameter)));
      refuseFaults(faults);
      return validation.ok ? validation.value : undefined;
    },
  };
}

const noInput: ActionInput = {
  members: [],
  accepts: (input) => input === undefined,
  async read(body) {
    if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) return undefined;
    const detail = "This action takes no input; send no body.";
    const where = isObject(body) ? pointer(Object.keys(body).slice(0, 1)) : "";
    throw new ProblemError("VALIDATION_FAILED", detail, {
      errors: [{ code: isObject(body) ? "UNKNOWN_FIELD" : "INVALID_VALUE", detail, pointer: where }],
    });
  },
  async readQuery({ environment, request }) {
    const faults: Faults = [];
    membersOf(undefined, request.query, environment.lists.query, faults);
    refuseFaults(faults);
    return undefined;
  },
};

/** The members of a query string, with values by the types of the fields. A field with an array takes a parameter several times. */
function membersOf(
  model: FieldModel | undefined,
  raw: string,
  { limits, ignores, readDay }: QueryContext["environment"]["lists"]["query"],
  faults: Faults,
): Record<string, unknown> {
  const fields = model?.children ?? new Map<string, FieldModel>();
  const members = new Map<string, unknown>();
  const decode = decoderOf(raw);
  eachParameter(raw, limits.parameters, decode, (key, text) => {
    const field = fields.get(key);
    if (field === undefined) {
      if (!ignores(key)) faults.push(unknownParameter(key, [...fields.keys()]));
      return;
    }
    const value = compileScalar(field.element ?? field, readDay)(decode(text));
    if (field.kind === "array") members.set(key, [...((members.get(key) as unknown[] | undefined) ?? []), value]);
    else if (members.has(key)) faults.push(repeatedParameter(key));
    else members.set(key, value);
  });
  return Object.fromEntries(members);
}

/** A fault of a member, as a fault of the parameter that gave it. */
function ofParameter({ pointer: where = "", ...item }: ProblemItem): ProblemItem {
  const [, first = ""] = where.split("/", 2);
  return first === "" ? item : { ...item, parameter: first.replaceAll("~1", "/").replaceAll("~0", "~") };
}
