import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type FormPlaces, listen, taking } from "./listen.js";

/** No parser: the form goes to the file as it comes, boundaries and all. */
export async function pipelineForms({ folder }: FormPlaces): Promise<number> {
  let kept = 0;
  return listen(taking((request) => pipeline(request, createWriteStream(join(folder, `file-${kept++}`)))));
}
