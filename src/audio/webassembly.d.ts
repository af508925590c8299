// The part of the global `WebAssembly` (WebAssembly JavaScript Interface 1.0) that Node has and that neither its
// type package nor TypeScript's ES libraries declare; the DOM library would, with a whole browser around it.

declare namespace WebAssembly {
  function validate(bytes: Uint8Array): boolean;
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  class Memory {
    /** Another one after each growth. */
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Global {
    readonly value: number;
  }
}
