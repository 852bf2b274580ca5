// The C face of a verilated model. `VSYS_PORTS(X)` comes before this text and
// lists the ports as X(member, "name", width, is_output).

#include "Vdut.h"
#include "verilated.h"
#if VSYS_TRACED
#include "verilated_fst_c.h"
#endif

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>

namespace vsys {

struct Instance;

// A context that knows its instance: the run time's callbacks name only the
// thread's context.
struct Context final : VerilatedContext {
    Instance* owner = nullptr;
};

struct Instance {
    Context context;
    std::unique_ptr<Vdut> model;
#if VSYS_TRACED
    std::unique_ptr<VerilatedFstC> waves;
#endif
    std::string message;
    bool failed = false;
};

struct Stopped {};

// Records the first failure and leaves the evaluation: a loop that does not
// settle would go on for ever if this returned.
[[noreturn]] static void fail(const char* file, int line, const char* text) {
    Context* const context = static_cast<Context*>(Verilated::threadContextp());
    Instance& self = *context->owner;
    if (!self.failed) {
        self.failed = true;
        if (file && file[0]) self.message = std::string(file) + ":" + std::to_string(line) + ": ";
        self.message += text;
    }
    throw Stopped{};
}

template <class Action>
static int guarded(Instance& self, Action action) noexcept {
    if (VL_UNLIKELY(self.failed)) return 1;
    Verilated::threadContextp(&self.context);
    try {
        action();
    } catch (const Stopped&) {
    } catch (const std::exception& error) {
        self.failed = true;
        self.message = error.what();
    } catch (...) {
        self.failed = true;
        self.message = "unknown C++ exception";
    }
    return self.failed ? 1 : 0;
}

}  // namespace vsys

using vsys::Instance;

// The run time's hooks (VL_USER_FATAL and so on).
void vl_fatal(const char* file, int line, const char*, const char* message) {
    vsys::fail(file, line, message);
}
void vl_stop(const char* file, int line, const char*) { vsys::fail(file, line, "$stop"); }
void vl_finish(const char*, int, const char*) { Verilated::threadContextp()->gotFinish(true); }

extern "C" {

int vsys_printf(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    return count;
}

#define VSYS_EXPORT __attribute__((visibility("default")))

struct VsysPort {
    const char* name;
    uint32_t width;
    uint32_t is_output;
};

#define VSYS_ROW(member, name, width, is_output) {name, width, is_output},
static const VsysPort vsys_table[] = {VSYS_PORTS(VSYS_ROW){nullptr, 0, 0}};

// Ends with a row without a name.
VSYS_EXPORT const VsysPort* vsys_ports() noexcept { return vsys_table; }

// `data` gets one pointer a port, in the table's order.
VSYS_EXPORT void vsys_port_data(Instance* self, void** data) noexcept {
#define VSYS_POINTER(member, name, width, is_output) *data++ = &self->model->member;
    VSYS_PORTS(VSYS_POINTER)
    (void)data;
    (void)self;
}

// `reset` is Verilator's: 0 for zeros, 2 for random by `seed`. Null with a
// message in `text` if it fails.
VSYS_EXPORT Instance* vsys_create(int reset, int seed, char* text, size_t size) noexcept {
    std::unique_ptr<Instance> self{new (std::nothrow) Instance};
    if (!self) {
        std::snprintf(text, size, "out of memory");
        return nullptr;
    }
    self->context.owner = self.get();
    const int failed = vsys::guarded(*self, [&] {
        self->context.randReset(reset);
        self->context.randSeed(seed);
        self->context.fatalOnError(false);
#if VSYS_TRACED
        self->context.traceEverOn(true);
#endif
        self->model = std::make_unique<Vdut>(&self->context, "TOP");
    });
    if (!failed) return self.release();
    std::snprintf(text, size, "%s", self->message.c_str());
    return nullptr;
}

VSYS_EXPORT void vsys_destroy(Instance* self) noexcept {
    Verilated::threadContextp(&self->context);
    try {
#if VSYS_TRACED
        if (self->waves) self->waves->close();
        self->waves.reset();
#endif
        if (!self->failed) self->model->final();
    } catch (...) {  // nobody is left to tell
    }
    delete self;
}

VSYS_EXPORT int vsys_eval(Instance* self) noexcept {
    return vsys::guarded(*self, [&] { self->model->eval(); });
}

VSYS_EXPORT const char* vsys_message(Instance* self) noexcept { return self->message.c_str(); }

VSYS_EXPORT int vsys_finished(Instance* self) noexcept { return self->context.gotFinish(); }

VSYS_EXPORT void vsys_time(Instance* self, uint64_t time) noexcept { self->context.time(time); }

VSYS_EXPORT int vsys_traced() noexcept { return VSYS_TRACED; }

// 0: opened; 1: the model failed; 2: the file cannot be written.
VSYS_EXPORT int vsys_trace_open(Instance* self, const char* path, int depth) noexcept {
#if VSYS_TRACED
    bool opened = false;
    const int failed = vsys::guarded(*self, [&] {
        self->waves = std::make_unique<VerilatedFstC>();
        self->model->trace(self->waves.get(), depth);
        self->waves->open(path);
        opened = self->waves->isOpen();
        if (!opened) self->waves.reset();
    });
    return failed ? 1 : opened ? 0 : 2;
#else
    (void)self;
    (void)path;
    (void)depth;
    return 2;
#endif
}

VSYS_EXPORT int vsys_trace_dump(Instance* self, uint64_t time) noexcept {
#if VSYS_TRACED
    return vsys::guarded(*self, [&] {
        if (self->waves) self->waves->dump(time);
    });
#else
    (void)self;
    (void)time;
    return 0;
#endif
}

// Works on a failed model too: its last cycles are the ones of interest.
VSYS_EXPORT void vsys_trace_close(Instance* self) noexcept {
#if VSYS_TRACED
    Verilated::threadContextp(&self->context);
    try {
        if (self->waves) self->waves->close();
    } catch (...) {  // a half-written file is found by its reader
    }
    self->waves.reset();
#else
    (void)self;
#endif
}

}  // extern "C"
