import { writeFileSync } from "node:fs";
import { generated, pathOf, readGenerated } from "./generated.js";

for (const [file, generate] of Object.entries(generated)) writeFileSync(pathOf(file), generate(readGenerated(file)));
