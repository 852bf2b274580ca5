-- It takes UDP port 4791 over, calls Wireshark's own RoCE dissector first, and decodes what follows BTH where the
-- opcode is MetaRoCE's.
metaroce.prefs.window_log2 = Pref.uint("Bits of the bitvector, log2", 8, "8, or 5 for a small NIC's receiver")

local icrc = ProtoField.uint32("metaroce.icrc", "ICRC", base.HEX)
local icrc_expected = ProtoField.uint32("metaroce.icrc.expected", "ICRC expected", base.HEX)
local icrc_status = ProtoField.uint8("metaroce.icrc.status", "ICRC status", base.DEC, {[0] = "bad", [1] = "good"})
local message = ProtoField.string("metaroce.opcode", "Opcode")
local payload_field = ProtoField.bytes("metaroce.payload", "Payload")
local missing = ProtoField.string("metaroce.sack.missing", "missing before the last received")
local beyond = ProtoField.uint16("metaroce.sack.beyond", "received beyond the first missing")
for _, field in ipairs({icrc, icrc_expected, icrc_status, message, payload_field, missing, beyond}) do
    table.insert(all_fields, field)
end
metaroce.fields = all_fields

local icrc_wrong = ProtoExpert.new("metaroce.icrc.wrong", "ICRC is wrong", expert.group.CHECKSUM, expert.severity.ERROR)
local too_short = ProtoExpert.new("metaroce.malformed", "Frame is shorter than its headers", expert.group.MALFORMED,
    expert.severity.ERROR)
metaroce.experts = {icrc_wrong, too_short}

local ip4, ip6 = Field.new("ip"), Field.new("ipv6")
local rroce = DissectorTable.get("udp.port"):get_dissector(UDP_PORT)

local crc_table = {}
for byte = 0, 255 do
    local value = byte
    for _ = 1, 8 do
        value = bit.bxor(bit.rshift(value, 1), bit.band(value, 1) == 1 and 0xEDB88320 or 0)
    end
    crc_table[byte] = value
end

-- CRC-32 over eight bytes of ones and the packet from IP on; `ones` are the offsets that count as 0xFF.
local function crc32(packet, ones)
    local crc = 0xFFFFFFFF
    local function step(byte)
        crc = bit.bxor(bit.rshift(crc, 8), crc_table[bit.band(bit.bxor(crc, byte), 0xFF)])
    end
    for _ = 1, 8 do
        step(0xFF)
    end
    for at = 0, packet:len() - 1 do
        local byte = packet:get_index(at)
        step(ones[at] and bit.bor(byte, ones[at]) or byte)
    end
    return bit.tobit(bit.bnot(crc)) % 0x100000000
end

local MASK4 = {[1] = 0xFF, [8] = 0xFF, [10] = 0xFF, [11] = 0xFF, [26] = 0xFF, [27] = 0xFF, [32] = 0xFF}
local MASK6 = {[0] = 0x0F, [1] = 0xFF, [2] = 0xFF, [3] = 0xFF, [7] = 0xFF, [46] = 0xFF, [47] = 0xFF, [52] = 0xFF}

-- The innermost IP header's place: its buffer, offset, length of the header, and what the ICRC masks.
local function ip_header()
    local four, six = {ip4()}, {ip6()}
    local last4, last6 = four[#four], six[#six]
    if last4 and not (last6 and last6.offset > last4.offset) then
        return last4, 20, MASK4
    elseif last6 then
        return last6, 40, MASK6
    end
end

-- What the ICRC should be, or nil where that can't be told: a capture that cuts frames, or options.
local function expected_icrc(tvb)
    local ip, length, mask = ip_header()
    if not ip or tvb:len() < tvb:reported_len() then
        return nil
    end
    local headers = ip.source:range(ip.offset, length + 8):bytes()
    return crc32(headers .. tvb:range(0, tvb:len() - 4):bytes(), mask)
end

local function psn_text(psn)
    return string.format("%d", psn)
end

-- The bitvector says for PSN p: received if bit p mod W differs from p's lap parity.
local function add_sack_summary(tree, range, psn)
    local log2 = metaroce.prefs.window_log2
    local window = 2 ^ log2
    local function received(p)
        local slot = p % window
        local set = bit.band(bit.rshift(range:range(31 - math.floor(slot / 8), 1):uint(), slot % 8), 1)
        return set ~= math.floor(p / window) % 2
    end
    local count, last = 0, -1
    for step = 0, window - 1 do
        if received((psn + step) % 0x1000000) then
            count, last = count + 1, step
        end
    end
    local holes, start = {}, nil
    for step = 0, last do
        local here = received((psn + step) % 0x1000000)
        if not here and not start then
            start = step
        elseif here and start then
            local from, to = (psn + start) % 0x1000000, (psn + step - 1) % 0x1000000
            table.insert(holes, from == to and psn_text(from) or psn_text(from) .. ".." .. psn_text(to))
            start = nil
        end
    end
    tree:add(beyond, range, count):set_generated()
    tree:add(missing, range, table.concat(holes, ", ")):set_generated()
    return count, holes
end

local function add_header(tree, layout, range)
    local branch = tree:add(metaroce, range, layout.name)
    for _, place in ipairs(layout.fields) do
        local first = math.floor(place.offset / 8)
        local last = math.floor((place.offset + place.bits - 1) / 8)
        local bytes = range:range(first, last - first + 1)
        if place.bits > 64 then
            branch:add(place.field, bytes)
        else
            branch:add(place.field, bytes, range:bitfield(place.offset, place.bits))
        end
    end
    return branch
end

function metaroce.dissector(tvb, pinfo, tree)
    local taken = rroce and rroce:call(tvb, pinfo, tree) or 0
    if tvb:len() < BTH_BYTES then
        return taken
    end
    local opcode = opcodes[tvb:range(0, 1):uint()]
    if not opcode then
        return taken
    end
    pinfo.cols.protocol = "MetaRoCE"
    local top = tree:add(metaroce, tvb:range(BTH_BYTES))
    top:add(message, tvb:range(0, 1), opcode.name)

    local at, psn = BTH_BYTES, tvb:range(9, 3):uint()
    local info = opcode.name .. " PSN=" .. psn_text(psn)
    for _, layout in ipairs(opcode.headers) do
        if tvb:len() < at + layout.bytes + 4 then
            top:add_proto_expert_info(too_short)
            pinfo.cols.info = info
            return tvb:len()
        end
        local range = tvb:range(at, layout.bytes)
        local branch = add_header(top, layout, range)
        if layout.name == "PATH" then
            info = info .. string.format(" path=%d TSN=%d", range:bitfield(8, 8), range:bitfield(24, 24))
        elseif layout.name == "SACK" then
            local count, holes = add_sack_summary(branch, range:range(8, 32), psn)
            info = info .. string.format(" beyond=%d missing=[%s]", count, table.concat(holes, ", "))
        elseif layout.name == "NAK" then
            local reason = range:range(0, 1):uint()
            info = info .. " " .. (reasons[reason] or ("reason=" .. reason))
        elseif layout.name == "MSG" then
            info = info .. string.format(" stream=%d message=%d offset=%d", range:range(0, 2):uint(),
                range:range(2, 2):uint(), range:range(4, 4):uint())
        end
        at = at + layout.bytes
    end
    local pad = bit.rshift(bit.band(tvb:range(1, 1):uint(), 0x30), 4)
    local payload = tvb:len() - 4 - pad - at
    if opcode.payload and payload >= 0 then
        info = info .. " payload=" .. payload
        if payload > 0 then
            top:add(payload_field, tvb:range(at, payload))
        end
    end

    local place = tvb:range(tvb:len() - 4, 4)
    local found, wanted = place:le_uint(), expected_icrc(tvb)
    local item = top:add_le(icrc, place)
    if wanted then
        top:add(icrc_expected, place, wanted):set_generated()
        top:add(icrc_status, place, wanted == found and 1 or 0):set_generated()
        if wanted ~= found then
            item:add_proto_expert_info(icrc_wrong)
            info = info .. " [bad ICRC]"
        end
    end
    pinfo.cols.info = info
    return tvb:len()
end

DissectorTable.get("udp.port"):add(UDP_PORT, metaroce)
