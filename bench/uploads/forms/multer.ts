import { createRequire } from "node:module";
import { join } from "node:path";
import express, { type RequestHandler } from "express";
import { type FormPlaces, listen } from "./listen.js";

/** What is used of `multer`. */
interface Multer {
  (options: { readonly storage: unknown }): { single(name: string): RequestHandler };
  diskStorage(options: { readonly destination: string; readonly flush: boolean }): unknown;
}

/** @param flush its own option: each file is synced to disk before the handler is called */
export async function multerForms({ folder, peers }: FormPlaces, flush: boolean): Promise<number> {
  const multer: Multer = createRequire(join(peers, "package.json"))("multer");
  const app = express();
  app.post("/upload", multer({ storage: multer.diskStorage({ destination: folder, flush }) }).single("file"), (request, response) => {
    response.sendStatus("file" in request && request.file !== undefined ? 201 : 400);
  });
  return listen(app);
}
