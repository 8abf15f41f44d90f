import { parseArgs } from "node:util";
import { reportTo } from "../tools/control.js";
import { oneOf } from "../tools/serverOptions.js";
import { type FormName, formNames } from "./formNames.js";
import type { FormPlaces } from "./forms/listen.js";

const { values } = parseArgs({
  options: { name: { type: "string", default: "" }, folder: { type: "string", default: "" }, peers: { type: "string", default: "" } },
});
reportTo(await start(oneOf("name", values.name, Object.values(formNames)), values));

/** No other parser is loaded. Resolves to the port. */
async function start(name: FormName, places: FormPlaces): Promise<number> {
  switch (name) {
    case formNames.restwright:
    case formNames.restwrightUnsynced:
      return (await import("./forms/restwright.js")).restwrightForms(places, name === formNames.restwright);
    case formNames.multer:
    case formNames.multerFlush:
      return (await import("./forms/multer.js")).multerForms(places, name === formNames.multerFlush);
    case formNames.formidable:
      return (await import("./forms/formidable.js")).formidableForms(places);
    case formNames.fastify:
      return (await import("./forms/fastify.js")).fastifyForms(places);
    case formNames.pipeline:
      return (await import("./forms/pipeline.js")).pipelineForms(places);
  }
}
