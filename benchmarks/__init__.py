"""Programs that measure the environments: each prints one table and, with ``--json FILE``, writes its figures.

``--game`` chooses what is played.  What only one game can be asked stands in a folder of its name.

``python -m benchmarks.kernel``: the verbs, batches of all sizes and kinds, and the hottest verb beside a twin in C.
``python -m benchmarks.envs``: decisions a second through every way of playing, beside PettingZoo's own connect four.
``python -m benchmarks.sb3``: MaskablePPO's collection through the native VecEnv beside a DummyVecEnv.
``python -m benchmarks.inference``: decisions of a published network in numpy beside torch.
``python -m benchmarks.wasm``: a game's WebAssembly module in node beside the compiled kernel.
``python -m benchmarks.scaling``: cost by batch size, players, threads and processes; memory.
``python -m benchmarks.startup``: time to import and to the first step, warm, cold and in a crowd; memory.
``python -m benchmarks.peers``: other environments beside this one.
``python -m benchmarks.compare``: this tree beside another commit, by ratio.
``python -m benchmarks.profile``: where the time goes with an agent of your own, as a table and an icicle diagram.
"""
