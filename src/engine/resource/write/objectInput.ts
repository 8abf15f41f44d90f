import type { z } from "zod";
import { ConfigurationError, type ProblemItem } from "../../../ground/problem/index.js";
import type { FieldModel } from "../../../language/schema/field.js";
import { introspect } from "../../../language/schema/introspect.js";
import { strictUnions } from "../../../language/schema/strictUnions.js";
import { givenDateTime, inputConverter } from "../../../language/schema/wire.js";
import { compileValidate } from "../define/validate.js";
import type { Validation } from "../resource.js";
import { refuseProblems } from "./members.js";
import { unknownMembersIn } from "./unknownMembers.js";

/** How an object that is no row is read: the input of an action, or of a job. */
export interface ObjectInput {
  readonly model: FieldModel;
  /** Validates a value whose dates and 64-bit integers may be text. */
  validated(value: unknown): Validation | Promise<Validation>;
  /** The valid object. @throws {ProblemError} VALIDATION_FAILED */
  read(given: unknown): Promise<unknown>;
}

/** @throws {ConfigurationError} for a schema that is not of an object */
export function objectInput(place: string, schema: z.ZodType): ObjectInput {
  const model = introspect("", schema);
  if (model.kind !== "object") throw new ConfigurationError(`${place}: "input" must be a zod object, such as z.object({ reason: z.string() }).`);
  const convert = inputConverter(model, givenDateTime);
  const validate = compileValidate(strictUnions(schema));
  const validated = (value: unknown) => validate(convert === undefined ? value : convert(value));
  return {
    model,
    validated,
    async read(given) {
      const problems: ProblemItem[] = [];
      unknownMembersIn(model, given, [], true, problems);
      const validation = await validated(given);
      if (validation.ok && problems.length === 0) return validation.value;
      // Without a body an object with no members is as good: all of its members may be optional.
      const again = given === undefined && !validation.ok ? await validated({}) : validation;
      refuseProblems([...problems, ...(again.ok ? [] : again.items)]);
      return again.ok ? again.value : undefined;
    },
  };
}
