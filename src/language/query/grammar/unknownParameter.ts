import { quote } from "../../../ground/problem/quote.js";
import { cut, type Fault, hintAt } from "../fault.js";
import { meantName } from "./otherNames.js";

/** The problem for a parameter that a path does not have. */
export function unknownParameter(name: string, allowed: readonly string[]): Fault {
  const near = meantName(name, allowed);
  const detail = `Unknown parameter ${quote(name)}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  return { code: "UNKNOWN_FIELD", detail, ...cut({ parameter: name }), allowed, ...hintAt(near) };
}
