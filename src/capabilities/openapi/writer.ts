import { setImmediate } from "node:timers";
import type { OpenCapability } from "../../engine/capability/capability.js";
import type { Caller } from "./caller.js";
import type { Documented } from "./documented.js";
import type { DocumentOptions, OpenApiDocument } from "./options.js";

/** Writes the document of a caller. */
export type DocumentWriter = (documented: Documented, options: DocumentOptions, caller: Caller) => Promise<OpenApiDocument>;

/** Loads the code that writes documents, and what the capabilities say of their operations. A service whose document nobody asks for loads neither. */
export async function loadWriter(capabilities: readonly OpenCapability[]): Promise<DocumentWriter> {
  const [{ buildDocument }, descriptions] = await Promise.all([
    import("./document.js"),
    Promise.all(capabilities.flatMap((capability) => capability.describes?.() ?? [])),
  ]);
  // The modules were evaluated in this turn of the event loop; writing begins with the next.
  await new Promise((resolve) => setImmediate(resolve));
  return (documented, options, caller) => buildDocument(documented, options, caller, descriptions);
}
