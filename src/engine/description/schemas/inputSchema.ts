import type { JsonSchema } from "../../operation/description.js";
import type { DescribedAction } from "../../operation/operation.js";
import type { LinkedResource } from "../../resource/relations/link.js";
import type { Describing } from "../describing.js";
import { pascalCase } from "../schemaNames.js";
import { typeSchema } from "./fieldSchema.js";

/** The schema of the input of an action; `undefined` if it has none. */
export function inputSchema(describing: Describing, linked: LinkedResource, name: string, { input }: DescribedAction): JsonSchema | undefined {
  if (input === undefined) return undefined;
  const component = `${describing.names.of(linked.name)}${pascalCase(name)}`;
  return { ...describing.components.own(component, () => typeSchema(input, "input", describing.components, `${component}Input`)) };
}
