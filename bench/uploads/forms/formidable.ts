import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type FormPlaces, listen, taking } from "./listen.js";

/** What is used of `formidable`. */
interface Formidable {
  formidable(options: { readonly uploadDir: string; readonly maxFileSize: number; readonly maxTotalFileSize: number }): {
    parse(request: IncomingMessage): Promise<unknown>;
  };
}

export async function formidableForms({ folder, peers }: FormPlaces): Promise<number> {
  const { formidable }: Formidable = createRequire(join(peers, "package.json"))("formidable");
  const options = { uploadDir: folder, maxFileSize: Number.MAX_SAFE_INTEGER, maxTotalFileSize: Number.MAX_SAFE_INTEGER };
  return listen(
    taking(async (request) => {
      await formidable(options).parse(request);
    }),
  );
}
